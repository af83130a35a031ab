import type { Delivered, Digest, OperatorRelease, RunEvent, ToolCall, ToolResult } from './event.ts';
import type { Finding } from './finding.ts';
import { armedGuard, observeOutcome, unarmedGuard } from './guard.ts';
import type { Partition } from './partition.ts';
import { argsOf, outcomeOf, toolOf } from './records.ts';
import { clearLife, extrasOf, forgetWarnings, isUntroubled, type RunState, takeServer } from './run.ts';
import type { Policy, Settings } from './settings.ts';
import { expire, type Occasion, releaseAll, settle } from './settle.ts';
import { matchKey, type ReleaseReason, signatureKey, type Verdict } from './verdict.ts';
import { isQuiet } from './view.ts';
import {
  append,
  clearWindow,
  cutWindow,
  fill,
  findPending,
  findPendingCall,
  keepRecords,
  takeLeft,
} from './window.ts';

/** What the judgement of one run takes from its partition. Notes are facts for logs and counters. */
type Surroundings = Pick<Partition, 'policy' | 'revision' | 'notes'>;

/** Warnings remembered per record of the window at most; the earliest is forgotten beyond it. */
const WARNED_PER_RECORD = 4;

/** What an event did to a run: a reason for releases, or nothing that could make a finding. */
type Effect = ReleaseReason | 'quiet';

const NO_VERDICTS: readonly Verdict[] = [];

/** Folds one admitted event into a living run and returns what changed in its verdicts. */
export function judgeRun(partition: Surroundings, run: RunState, event: RunEvent): readonly Verdict[] {
  const { policy } = partition;
  const otherAgent = takeServer(run, event);
  if (isUnfoundedVeto(run, event)) {
    trim(run, policy);
    return heal(partition, run, event);
  }
  if (event.type === 'run_end') {
    const occasion = occasionOf(partition, run, { event, reason: 'run_ended', renew: false });
    const releases = releaseAll(run, occasion);
    clearLife(run);
    run.ended = true;
    return releases;
  }
  const effect = fold(partition, run, event);
  // Where nothing stood and nothing that the event touched reaches a threshold, nothing stands now.
  if (effect === 'quiet' && !otherAgent && isUntroubled(run)) return NO_VERDICTS;
  trim(run, policy);
  const reason = effect === 'quiet' ? 'cleared' : effect;
  return settle(run, occasionOf(partition, run, { event, reason, renew: event.type === 'attach' }));
}

function occasionOf(
  { policy, revision }: Surroundings,
  run: RunState,
  { event, reason, renew }: { event: RunEvent; reason: ReleaseReason; renew: boolean },
): Occasion {
  const trigger = { source: event.source, sequence: event.sequence };
  return { trigger, at: run.lastAt, policy, revision, reason, renew };
}

/** Re-evaluates a run under a policy that has just taken over. */
export function judgePolicy(run: RunState, occasion: Occasion): Verdict[] {
  trim(run, occasion.policy);
  return settle(run, occasion);
}

/** A veto that names a verdict, of a call that nothing standing refuses: its gateway holds what is gone. */
export function isUnfoundedVeto(run: RunState, event: RunEvent): event is ToolResult {
  if (event.type !== 'tool_result' || event.outcome !== 'vetoed' || event.verdict === null) return false;
  const signature = { scope: 'signature', tool: event.tool, args: event.args } as const;
  const refusing = ['run', `tool:${event.tool}`, matchKey(signature)];
  return !refusing.some((key) => (run.extras?.slots.get(key)?.action ?? 'warn') !== 'warn');
}

/** Answers an unfounded veto: all that stands anew, then the end of everything older. */
export function heal(partition: Surroundings, run: RunState, event: RunEvent): readonly Verdict[] {
  const ends = run.sequence;
  const occasion = occasionOf(partition, run, { event, reason: 'cleared', renew: true });
  partition.notes.push({ kind: 'healed', runId: run.runId });
  return [...settle(run, occasion), expire(run, occasion, ends)];
}

function fold(partition: Surroundings, run: RunState, event: Exclude<RunEvent, { type: 'run_end' }>): Effect {
  if (event.type === 'release') return foldRelease(partition, run, event);
  if (event.type === 'attach' || (run.extras !== null && run.extras.abort !== null)) return 'quiet';
  const settings = partition.policy.settingsFor(run.agentId);
  switch (event.type) {
    case 'tool_call':
      return foldCall(run, event, settings);
    case 'tool_result':
      return foldResult(partition, run, event);
    case 'compaction':
      if (event.retry && settings.enabled !== false) arm(partition, run, settings);
      return 'quiet';
  }
}

function foldCall(run: RunState, event: ToolCall, settings: Settings): Effect {
  const raised = raiseLevels(run, event.delivered);
  const quiet =
    settings.enabled === false || isQuiet(run, append(run, event, settings.historySize), settings);
  return raised ? 'delivered' : quiet ? 'quiet' : 'cleared';
}

/** Whether a level rose: only for a warning of this epoch that is still remembered. */
function raiseLevels(run: RunState, delivered: readonly Delivered[]): boolean {
  if (delivered.length === 0 || run.extras === null) return false;
  let raised = false;
  for (const { epoch, warning, level } of delivered) {
    for (const warned of run.extras.warned.values()) {
      if (epoch !== run.epoch || warned.warning !== warning || warned.level >= level) continue;
      warned.level = level;
      raised = true;
    }
  }
  return raised;
}

function foldResult({ policy, notes }: Surroundings, run: RunState, event: ToolResult): Effect {
  if (event.outcome !== 'result' && event.outcome !== 'error') return 'quiet';
  const settings = policy.settingsFor(run.agentId);
  const place = placeFor(run, event, settings);
  if (place === 0) {
    notes.push({ kind: 'orphan', runId: run.runId });
    return 'quiet';
  }
  const newest = fill(run, place, event);
  const count = observe(run, place, settings);
  if (count > 0) return fire(run, abortOf(toolOf(run, place), count, settings), settings.observe);
  return isQuiet(run, newest, settings) ? 'quiet' : 'cleared';
}

/** The pending record that an outcome fills, or a new one at the end; 0: neither. */
function placeFor(run: RunState, event: ToolResult, { historySize }: Settings): number {
  if (!namesArgs(event)) return findPendingCall(run, event.callId);
  return findPending(run, event) || append(run, event, historySize);
}

function namesArgs(event: ToolResult): event is ToolResult & { readonly args: Digest } {
  return event.args !== null;
}

/** What the guard makes of a record that has just been filled. */
function observe(run: RunState, place: number, settings: Settings): number {
  if (run.extras === null || run.extras.guard.remaining === 0) return 0;
  const signature = signatureKey(toolOf(run, place), argsOf(run, place));
  return observeOutcome(run.extras.guard, `${signature}:${outcomeOf(run, place)}`, settings);
}

function abortOf(tool: string, count: number, { windowSize }: Settings): Finding {
  return {
    action: 'abort',
    match: { scope: 'run', tool, args: null },
    key: 'run',
    detector: 'compaction_loop_persisted',
    count,
    threshold: windowSize,
    warningKey: '',
    keySignatures: [],
    pairedTool: null,
    missingTool: null,
    oldest: 0,
  };
}

/** An abort keeps the kind that it was born with; a shadow abort blinds nothing. */
function fire(run: RunState, abort: Finding, shadow: boolean): Effect {
  const extras = extrasOf(run);
  if (shadow) extras.shadowAbort ??= abort;
  else extras.abort = abort;
  return shadow ? 'cleared' : 'aborted';
}

function arm({ notes }: Surroundings, run: RunState, { windowSize }: Settings): void {
  extrasOf(run).guard = armedGuard(windowSize);
  notes.push({ kind: 'armed', runId: run.runId, windowSize });
}

/** Cuts what an operator releases out of the fold; while an abort stands only the whole run is heard. */
function foldRelease({ notes }: Surroundings, run: RunState, event: OperatorRelease): Effect {
  const { match } = event;
  const { extras } = run;
  const whole = match === null || match.scope === 'run';
  const meantForEarlier = event.epoch !== null && run.epoch > event.epoch;
  if (meantForEarlier || (extras !== null && extras.abort !== null && !whole)) {
    notes.push({ kind: 'ignored_release', runId: run.runId });
    return 'quiet';
  }
  if (!whole) {
    const isHit = (place: number): boolean =>
      toolOf(run, place) === match.tool && (match.scope !== 'signature' || argsOf(run, place) === match.args);
    keepRecords(run, (place) => !isHit(place));
    return 'operator';
  }
  clearWindow(run);
  if (extras !== null) {
    extras.guard = unarmedGuard();
    extras.abort = null;
    extras.shadowAbort = null;
  }
  return 'operator';
}

/** Cuts the window to the size in force and forgets what has left it. */
function trim(run: RunState, policy: Policy): void {
  const { historySize } = policy.settingsFor(run.agentId);
  cutWindow(run, historySize);
  const left = takeLeft(run);
  if (run.extras === null || run.extras.warned.size === 0) return;
  if (left) forgetWarnings(run, run.extras);
  const { warned } = run.extras;
  const excess = warned.size - historySize * WARNED_PER_RECORD;
  if (excess > 0) for (const key of [...warned.keys()].slice(0, excess)) warned.delete(key);
}
