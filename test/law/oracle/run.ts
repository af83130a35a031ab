import type { Delivered, Match, ReadEvent, Settings, ToolCall, ToolResult } from '@loopwarden/detection';
import type { Entry, Finding, Signature } from './findings.ts';
import { findingOf, missingTool, nameOf } from './findings.ts';

/** What stands of one match. */
export interface Stand {
  readonly match: Match;
  readonly shadow: boolean;
  readonly found: Finding;
}

/** A standing that was published. */
export interface Slot extends Stand {
  readonly sequence: number;
}

/** A warning key that is still remembered: its identity and the level handed out. */
interface Memory {
  readonly key: string;
  readonly signatures: readonly string[];
  readonly warning: number;
  level: number;
}

/** One run as plain lists. */
export interface Run {
  readonly id: string;
  epoch: number;
  sequence: number;
  lastAt: number;
  ended: boolean;
  agentId: string | null;
  /** Highest sequence of each source, least recently heard first. */
  sources: { name: string; operator: boolean; sequence: number }[];
  entries: Entry[];
  memory: Memory[];
  /** Outcomes watched since the latest arming. */
  guard: { remaining: number; watched: string[] };
  aborts: Stand[];
  slots: Slot[];
}

const GATEWAY_SOURCES = 8;

export function newRun(id: string, epoch: number): Run {
  const empty = { entries: [], memory: [], aborts: [], slots: [] };
  const guard = { remaining: 0, watched: [] };
  return { id, epoch, sequence: 0, lastAt: 0, ended: false, agentId: null, sources: [], guard, ...empty };
}

/** Everything that an epoch's end forgets. */
export function empty(run: Run): void {
  run.entries = [];
  run.memory = [];
  run.guard = { remaining: 0, watched: [] };
  run.aborts = [];
}

export const aborted = (run: Run): boolean => run.aborts.some((abort) => !abort.shadow);

export function isDuplicate(run: Run, event: ReadEvent): boolean {
  const source = run.sources.find(({ name }) => name === event.source);
  return source !== undefined && event.sequence <= source.sequence;
}

/** Remembers the event's number, and of the gateways' sources the last eight. */
export function noteSource(run: Run, event: ReadEvent): void {
  const operator = event.type === 'release';
  const others = run.sources.filter(({ name }) => name !== event.source);
  run.sources = [...others, { name: event.source, operator, sequence: event.sequence }];
  const gateways = run.sources.filter((source) => !source.operator);
  if (gateways.length > GATEWAY_SOURCES) run.sources = run.sources.filter((source) => source !== gateways[0]);
}

/** Keeps the last `historySize` records, and the warning keys of which every signature is still there. */
export function trim(run: Run, settings: Settings): void {
  run.entries = run.entries.slice(-settings.historySize);
  const present = new Set(run.entries.map(nameOf));
  run.memory = run.memory.filter(({ signatures }) => signatures.every((name) => present.has(name)));
}

/** Whether a warning's level went up. */
export function raise(run: Run, delivered: readonly Delivered[]): boolean {
  let raised = false;
  for (const { epoch, warning, level } of delivered) {
    const memory = run.memory.find((known) => epoch === run.epoch && known.warning === warning);
    if (memory === undefined || level <= memory.level) continue;
    memory.level = level;
    raised = true;
  }
  return raised;
}

export function addCall(run: Run, call: ToolCall, settings: Settings): void {
  if (settings.enabled === false) return;
  const { tool, args, callId, poll } = call;
  run.entries.push({ tool, args, callId, poll, outcome: null, missing: null });
}

/** Enters an outcome; true when it fired the guard. */
export function addResult(run: Run, result: ToolResult, settings: Settings): boolean {
  if (result.outcome === 'vetoed' || result.outcome === 'none') return false;
  const outcome = `${result.outcome}:${result.digest}`;
  const wanted = (entry: Entry): boolean =>
    entry.outcome === null &&
    (result.callId === null || entry.callId === result.callId) &&
    (result.args === null ? result.callId !== null : nameOf(entry) === `${result.tool}:${result.args}`);
  let entry = run.entries.findLast(wanted);
  if (entry === undefined) {
    if (result.args === null) return false;
    const { tool, args, callId, poll } = result;
    entry = { tool, args, callId, poll, outcome, missing: null };
    run.entries.push(entry);
  }
  entry.outcome = outcome;
  entry.missing = result.missingTool;
  return watch(run, entry, settings);
}

export function arm(run: Run, settings: Settings): void {
  if (settings.enabled === false) return;
  run.guard = { remaining: settings.windowSize, watched: [] };
}

/** The post-compaction guard: one triple as often since the arming as the window in force is long. */
function watch(run: Run, entry: Entry, settings: Settings): boolean {
  const { guard } = run;
  const threshold = settings.windowSize;
  if (settings.enabled === false || guard.remaining === 0) return false;
  const triple = `${nameOf(entry)}=${entry.outcome}`;
  guard.remaining -= 1;
  guard.watched.push(triple);
  const count = guard.watched.filter((watched) => watched === triple).length;
  if (count < threshold) return false;
  guard.remaining = 0;
  const none = { pairedTool: null, key: '', level: 0, signatures: [] };
  const found = { action: 'abort', detector: 'compaction_loop_persisted', count, threshold } as const;
  const match = { scope: 'run', tool: entry.tool, args: null } as const;
  const abort = { match, shadow: settings.observe, found: { ...found, ...none } };
  if (abort.shadow && run.aborts.length > 0) return false;
  run.aborts = [abort];
  return true;
}

/** Cuts the fold where an operator said so. */
export function cut(run: Run, match: Match | null): void {
  if (match === null || match.scope === 'run') empty(run);
  else if (!aborted(run)) {
    run.entries = run.entries.filter(
      ({ tool, args }) => tool !== match.tool || (match.scope === 'signature' && args !== match.args),
    );
  }
}

/** A warning stands only while its level is above what was handed out under its key. */
function isDue(run: Run, found: Finding): boolean {
  if (found.action !== 'warn') return true;
  return found.level > (run.memory.find(({ key }) => key === found.key)?.level ?? 0);
}

/** What the run state says of one signature, the most severe alone: an abort, its missing tool, its own. */
export function judgedOf(run: Run, signature: Signature, settings: Settings): Stand[] {
  if (run.ended) return [];
  if (aborted(run)) return run.aborts;
  const { tool, args } = signature;
  const shadow = settings.observe;
  const missing = missingTool(run.entries, settings);
  if (missing !== null && missing.tool === tool) {
    return [...run.aborts, { match: { scope: 'tool', tool, args: null }, shadow, found: missing.found }];
  }
  const found = findingOf(run.entries, nameOf(signature), settings);
  if (found === null || !isDue(run, found)) return run.aborts;
  return [...run.aborts, { match: { scope: 'signature', tool, args }, shadow, found }];
}
