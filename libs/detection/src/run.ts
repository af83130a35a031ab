import type { Match } from './event.ts';
import type { Finding } from './finding.ts';
import { type Guard, unarmedGuard } from './guard.ts';
import type { Window } from './window.ts';

/** A verdict that stands, in the detector's memory. */
export interface Slot {
  readonly sequence: number;
  readonly action: 'warn' | 'block' | 'abort';
  readonly match: Match;
  readonly detector: string;
  readonly count: number;
  readonly threshold: number;
  readonly level: number;
  readonly warningKey: string;
  readonly pairedTool: string | null;
  readonly shadow: boolean;
}

/** What is remembered of one warning while all its signatures are in the window. */
export interface Warned {
  readonly signatures: readonly string[];
  /** Sequence of the first verdict under the key; 0: none yet in this epoch. */
  warning: number;
  /** The level handed out; 0: none. */
  level: number;
}

/** One producer's numbering within the run. */
export interface SourceMark {
  readonly source: string;
  readonly operator: boolean;
  highest: number;
}

/** The state of one run: a fold over its events and its partition's policy events. */
export interface RunState {
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
  /** Least recently heard first. */
  sources: SourceMark[];
  window: Window;
  warned: Map<string, Warned>;
  guard: Guard;
  abort: Finding | null;
  shadowAbort: Finding | null;
  slots: Map<string, Slot>;
}

export function newRun(runId: string, epoch: number, at: number): RunState {
  return {
    runId,
    agentId: null,
    sessionId: null,
    gatewayId: '',
    epoch,
    sequence: 0,
    ended: false,
    lastAt: at,
    sources: [],
    window: [],
    warned: new Map(),
    guard: unarmedGuard(),
    abort: null,
    shadowAbort: null,
    slots: new Map(),
  };
}

/** Empties everything that belongs to one life of the run; event sequences and agent stay. */
export function clearLife(run: RunState): void {
  run.window = [];
  run.warned.clear();
  run.guard = unarmedGuard();
  run.abort = null;
  run.shadowAbort = null;
  run.slots.clear();
}

/** Drops warnings of which a signature has left the window. */
export function forgetWarnings(run: RunState): void {
  if (run.warned.size === 0) return;
  const present = new Set(run.window.map(({ key }) => key));
  for (const [key, { signatures }] of run.warned) {
    if (!signatures.every((signature) => present.has(signature))) run.warned.delete(key);
  }
}
