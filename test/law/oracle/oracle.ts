import type {
  Match,
  PolicyApplied,
  ReadEvent,
  RunEvent,
  Settings,
  UnknownEvent,
  Verdict,
} from '@loopwarden/detection';
import type { Signature } from './findings.ts';
import { nameOf } from './findings.ts';
import type { Run, Slot, Stand } from './run.ts';
import {
  aborted,
  addCall,
  addResult,
  arm,
  cut,
  empty,
  isDuplicate,
  judgedOf,
  newRun,
  noteSource,
  raise,
  trim,
} from './run.ts';
import type { PolicyDocument } from './settings.ts';
import { idleMs, readPolicy, settingsOf } from './settings.ts';

/** The part of a verdict that the pages fix for any judge. */
export type Body = Pick<
  Verdict,
  | 'runId'
  | 'epoch'
  | 'sequence'
  | 'action'
  | 'match'
  | 'detector'
  | 'count'
  | 'threshold'
  | 'level'
  | 'warning'
  | 'pairedTool'
  | 'ends'
  | 'reason'
  | 'shadow'
  | 'trigger'
  | 'policyRevision'
>;

/** What a gateway that knows everything would do with a call. */
export interface Ruling {
  readonly action: 'allow' | 'warn' | 'block' | 'abort';
  readonly detector: string;
  readonly count: number;
  readonly pairedTool: string | null;
  readonly level: number;
}

interface Oracle {
  readonly runs: Map<string, Run>;
  document: PolicyDocument;
  revision: number;
  /** Highest epoch of whatever was forgotten. */
  forgotten: number;
}

type Cause = 'cleared' | 'delivered' | 'policy' | 'operator' | 'aborted' | 'run_ended';

/** A judge that knows nothing but the pages: plain lists, every finding computed anew for every question. */
export function openOracle(document: PolicyDocument, revision: number): Oracle {
  return { runs: new Map(), document, revision, forgotten: 0 };
}

/** Takes the next event of the partition and says what it publishes. */
export function take(oracle: Oracle, event: ReadEvent, at: number): Body[] {
  return event.type === 'policy' ? applyPolicy(oracle, event, at) : takeRunEvent(oracle, event, at);
}

const ALLOW: Ruling = { action: 'allow', detector: '', count: 0, pairedTool: null, level: 0 };

/** The decision on a call of `signature`, enforced or as a shadow. */
export function rule(
  oracle: Oracle,
  runId: string,
  asked: { signature: Signature; shadow: boolean },
): Ruling {
  const run = oracle.runs.get(runId);
  if (run === undefined) return ALLOW;
  const stands = judgedOf(run, asked.signature, settingsOf(oracle.document, run.agentId));
  const first = stands.find((stand) => stand.shadow === asked.shadow);
  if (first === undefined) return ALLOW;
  const { action, detector, count, pairedTool, level } = first.found;
  return { action, detector, count, pairedTool, level };
}

const isSilent = (oracle: Oracle, runId: string, at: number): boolean => {
  const run = oracle.runs.get(runId);
  return run === undefined || at - run.lastAt > idleMs(oracle.document);
};

function forget(oracle: Oracle, run: Run): void {
  oracle.forgotten = Math.max(oracle.forgotten, run.epoch);
  oracle.runs.delete(run.id);
}

function applyPolicy(oracle: Oracle, event: PolicyApplied, at: number): Body[] {
  const document = readPolicy(event.policy);
  if (event.revision <= oracle.revision || document === null) return [];
  for (const run of [...oracle.runs.values()]) if (isSilent(oracle, run.id, at)) forget(oracle, run);
  oracle.document = document;
  oracle.revision = event.revision;
  return [...oracle.runs.values()].flatMap((run) =>
    settle(oracle, run, { event, cause: 'policy', renew: false }),
  );
}

/** Not understood: only its number counts. */
function skip(oracle: Oracle, event: UnknownEvent): Body[] {
  const run = oracle.runs.get(event.runId);
  if (run !== undefined && !isDuplicate(run, event)) noteSource(run, event);
  return [];
}

function takeRunEvent(oracle: Oracle, event: RunEvent | UnknownEvent, at: number): Body[] {
  const known = oracle.runs.get(event.runId);
  if (known !== undefined && isSilent(oracle, known.id, at)) forget(oracle, known);
  if (event.type === 'unknown') return skip(oracle, event);
  const run = oracle.runs.get(event.runId) ?? newRun(event.runId, Math.max(at, oracle.forgotten + 1));
  if (isDuplicate(run, event)) return [];
  oracle.runs.set(run.id, run);
  noteSource(run, event);
  run.lastAt = Math.max(run.lastAt, at);
  if (event.type !== 'release' && event.agentId !== null) run.agentId = event.agentId;
  if (run.ended && (event.type === 'tool_call' || event.type === 'attach' || event.type === 'compaction')) {
    empty(run);
    Object.assign(run, { ended: false, epoch: Math.max(run.lastAt, run.epoch + 1), sequence: 0, slots: [] });
  }
  const healing = isUnfounded(run, event);
  const cause = run.ended ? 'cleared' : apply(run, event, settingsOf(oracle.document, run.agentId));
  const before = run.sequence;
  const bodies = settle(oracle, run, { event, cause, renew: event.type === 'attach' || healing });
  return healing ? [...bodies, expire(oracle, run, { event, ends: before })] : bodies;
}

function apply(run: Run, event: RunEvent, settings: Settings): Cause {
  if (event.type === 'release') {
    if (event.epoch === null || run.epoch <= event.epoch) cut(run, event.match);
    return 'operator';
  }
  if (event.type === 'run_end') {
    empty(run);
    run.ended = true;
    return 'run_ended';
  }
  if (aborted(run)) return 'cleared';
  if (event.type === 'compaction' && event.retry) arm(run, settings);
  if (event.type === 'tool_result' && addResult(run, event, settings) && !settings.observe) return 'aborted';
  if (event.type !== 'tool_call') return 'cleared';
  const raised = raise(run, event.delivered);
  addCall(run, event, settings);
  return raised ? 'delivered' : 'cleared';
}

/** A veto that names a verdict, of a call that nothing refused when the veto came. */
function isUnfounded(run: Run, event: RunEvent): boolean {
  if (event.type !== 'tool_result' || event.outcome !== 'vetoed' || event.verdict === null) return false;
  return !run.slots.some(({ match, shadow, found }) => {
    const covers = { run: true, tool: match.tool === event.tool, signature: nameOf(match) === nameOf(event) };
    return !shadow && found.action !== 'warn' && covers[match.scope];
  });
}

const identity = ({ match, shadow }: Stand): string =>
  match.scope === 'run' ? `run ${shadow}` : `${match.scope} ${match.tool}:${match.args} ${shadow}`;

const substance = ({ action, detector, count, level, key, pairedTool }: Stand['found']): string =>
  JSON.stringify([action, detector, count, level, key, pairedTool]);

const RANK = { run: 0, tool: 1, signature: 2 };

/** Every standing of the run, `RUN` before `TOOL` before `SIGNATURE`, each by its oldest record. */
function standings(run: Run, settings: Settings): Stand[] {
  const names = new Map(run.entries.map((entry) => [nameOf(entry), entry]));
  const judged = [...names.values()].flatMap((entry) => judgedOf(run, entry, settings));
  const all = new Map((run.ended ? [] : [...run.aborts, ...judged]).map((stand) => [identity(stand), stand]));
  return [...all.values()].sort((one, two) => RANK[one.match.scope] - RANK[two.match.scope]);
}

interface Occasion {
  readonly event: ReadEvent;
  readonly cause: Cause;
  readonly renew: boolean;
}

/** Compares what should stand with what stands, and publishes the difference. */
function settle(oracle: Oracle, run: Run, occasion: Occasion): Body[] {
  const settings = settingsOf(oracle.document, run.agentId);
  trim(run, settings);
  const wanted = standings(run, settings);
  const kept = new Set(wanted.map(identity));
  const gone = run.slots.filter((slot) => !kept.has(identity(slot))).sort((a, b) => a.sequence - b.sequence);
  const releases = gone.map((slot) => release(oracle, run, { slot, occasion }));
  const published: Body[] = [];
  const slots: Slot[] = [];
  for (const stand of wanted) {
    const old = run.slots.find((slot) => identity(slot) === identity(stand));
    if (old !== undefined && !occasion.renew && substance(old.found) === substance(stand.found))
      slots.push(old);
    else {
      const body = publish(oracle, run, { stand, event: occasion.event, ends: old?.sequence ?? null });
      published.push(body);
      slots.push({ ...stand, sequence: body.sequence });
    }
  }
  run.slots = slots;
  return [...releases, ...published];
}

function head(oracle: Oracle, run: Run, event: ReadEvent) {
  run.sequence += 1;
  const trigger = { source: event.source, sequence: event.sequence };
  return {
    runId: run.id,
    epoch: run.epoch,
    sequence: run.sequence,
    trigger,
    policyRevision: oracle.revision,
  };
}

const NUMBERS = { count: 0, level: 0, warning: 0, pairedTool: null };

function release(oracle: Oracle, run: Run, { slot, occasion }: { slot: Slot; occasion: Occasion }): Body {
  const { match, shadow, found, sequence: ends } = slot;
  const { detector, threshold } = found;
  const common = { ...head(oracle, run, occasion.event), ...NUMBERS, action: 'release' as const };
  return { ...common, match, shadow, detector, threshold, ends, reason: occasion.cause };
}

function expire(oracle: Oracle, run: Run, { event, ends }: { event: ReadEvent; ends: number }): Body {
  const match: Match = { scope: 'run', tool: null, args: null };
  const common = { ...head(oracle, run, event), ...NUMBERS, action: 'release' as const };
  return { ...common, match, shadow: false, detector: '', threshold: 0, ends, reason: 'expired' };
}

function publish(
  oracle: Oracle,
  run: Run,
  made: { stand: Stand; event: ReadEvent; ends: number | null },
): Body {
  const { match, shadow, found } = made.stand;
  const { action, detector, count, threshold, level, pairedTool } = found;
  const common = head(oracle, run, made.event);
  const warning = action === 'warn' ? identify(run, found, common.sequence) : 0;
  const said = { action, match, detector, count, threshold, level, warning, pairedTool, shadow };
  return { ...common, ...said, ends: made.ends, reason: null };
}

/** The first verdict under a warning key gives it its number. */
function identify(run: Run, { key, signatures }: Stand['found'], sequence: number): number {
  const known = run.memory.find((memory) => memory.key === key);
  if (known !== undefined) return known.warning;
  run.memory.push({ key, signatures, warning: sequence, level: 0 });
  return sequence;
}
