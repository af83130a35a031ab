import type { Match, RunEvent } from './event.ts';
import type { Finding } from './finding.ts';
import { type Guard, unarmedGuard } from './guard.ts';
import type { Memory } from './pages.ts';
import type { Window } from './records.ts';
import { clearWindow, holds, openWindow } from './window.ts';

/** A verdict that stands, in the detector's memory; the newest of those that replaced one another. */
export interface Slot {
  sequence: number;
  action: 'warn' | 'block' | 'abort';
  readonly match: Match;
  detector: string;
  count: number;
  threshold: number;
  level: number;
  warningKey: string;
  pairedTool: string | null;
  readonly shadow: boolean;
}

/** What is remembered of one warning while all its signatures are in the window. */
export interface Warned {
  readonly signatures: readonly Match[];
  /** Sequence of the first verdict under the key; 0: none yet in this epoch. */
  warning: number;
  /** The level handed out; 0: none. */
  level: number;
}

/** One producer's numbering within the run. */
export interface SourceMark {
  readonly source: string;
  highest: number;
}

/** What most runs never have, apart so that they do not pay for it. */
export interface Extras {
  /** Gateways heard before the last one, and operators: least recently heard first. */
  readonly gateways: SourceMark[];
  readonly operators: SourceMark[];
  readonly warned: Map<string, Warned>;
  readonly slots: Map<string, Slot>;
  guard: Guard;
  abort: Finding | null;
  shadowAbort: Finding | null;
}

/** The state of one run: a fold over its events and its partition's policy events. Its window is a part of it. */
export interface RunState extends Window {
  readonly runId: string;
  agentId: string | null;
  sessionId: string | null;
  gatewayId: string;
  epoch: number;
  /** Last verdict sequence of the epoch. */
  sequence: number;
  ended: boolean;
  /** Time of the last event, epoch milliseconds; never goes back. */
  lastAt: number;
  /** The gateway source heard last and its highest number; null: none yet. */
  source: string | null;
  highest: number;
  extras: Extras | null;
  /** The save that holds it, or that it is too young for. */
  saved: number;
  /** Neighbours by activity. */
  newer: RunState | null;
  older: RunState | null;
}

interface Birth {
  readonly runId: string;
  readonly epoch: number;
  readonly at: number;
  readonly saved: number;
}

export function newRun(memory: Memory, { runId, epoch, at, saved }: Birth): RunState {
  const { page, base, tags } = openWindow(memory);
  return {
    runId,
    agentId: null,
    sessionId: null,
    gatewayId: '',
    epoch,
    sequence: 0,
    ended: false,
    lastAt: at,
    source: null,
    highest: 0,
    extras: null,
    saved,
    newer: null,
    older: null,
    page,
    base,
    tags,
  };
}

/**
 * Notes who serves the run. Says whether its agent is another one now. Texts that stay equal are left alone:
 * the old ones have long been moved to where the collector seldom looks.
 */
export function takeServer(run: RunState, event: RunEvent): boolean {
  if (event.type === 'release') return false;
  const { agentId, sessionId, gatewayId } = event;
  if (gatewayId !== run.gatewayId) run.gatewayId = gatewayId;
  if (sessionId !== null && sessionId !== run.sessionId) run.sessionId = sessionId;
  if (agentId === null || agentId === run.agentId) return false;
  run.agentId = agentId;
  return true;
}

/** What the run has beyond the ordinary, from now on. */
export function extrasOf(run: RunState): Extras {
  run.extras ??= {
    gateways: [],
    operators: [],
    warned: new Map(),
    slots: new Map(),
    guard: unarmedGuard(),
    abort: null,
    shadowAbort: null,
  };
  return run.extras;
}

/** Whether no verdict stands, none is remembered and nothing is aborted. */
export function isUntroubled({ extras }: RunState): boolean {
  if (extras === null) return true;
  const { slots, warned, abort, shadowAbort } = extras;
  return slots.size === 0 && warned.size === 0 && abort === null && shadowAbort === null;
}

/** Empties everything that belongs to one life of the run; event sequences and agent stay. */
export function clearLife(run: RunState): void {
  clearWindow(run);
  if (run.extras === null) return;
  run.extras.warned.clear();
  run.extras.slots.clear();
  run.extras.guard = unarmedGuard();
  run.extras.abort = null;
  run.extras.shadowAbort = null;
}

/** Drops warnings of which a signature has left the window. */
export function forgetWarnings(run: RunState, { warned }: Extras): void {
  for (const [key, { signatures }] of warned) {
    if (!signatures.every((signature) => holds(run, signature))) warned.delete(key);
  }
}
