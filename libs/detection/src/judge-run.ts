import type { Delivered, OperatorRelease, RunEvent, ToolCall, ToolResult } from './event.ts';
import type { Finding } from './finding.ts';
import { armedGuard, observeOutcome, unarmedGuard } from './guard.ts';
import type { Note } from './note.ts';
import { clearLife, forgetWarnings, type RunState } from './run.ts';
import type { Policy, Settings } from './settings.ts';
import { expire, type Occasion, releaseAll, settle } from './settle.ts';
import { matchKey, type ReleaseReason, type Verdict } from './verdict.ts';
import { type CallRecord, cutWindow, findPending, findPendingCall, newRecord } from './window.ts';

/** Where one event of one run is judged. Notes are facts for logs and counters. */
interface Setting {
  readonly policy: Policy;
  readonly revision: number;
  readonly at: number;
  readonly note: (note: Note) => void;
}

/** Warnings remembered per record of the window at most; the earliest is forgotten beyond it. */
const WARNED_PER_RECORD = 4;

/** Folds one admitted event into a living run and returns what changed in its verdicts. */
export function judgeRun(run: RunState, event: RunEvent, setting: Setting): Verdict[] {
  const occasion = { ...setting, trigger: { source: event.source, sequence: event.sequence }, renew: false };
  if (isUnfoundedVeto(run, event)) {
    trim(run, setting.policy);
    return heal(run, { ...occasion, reason: 'cleared' }, setting);
  }
  if (event.type === 'run_end') {
    const releases = releaseAll(run, { ...occasion, reason: 'run_ended' });
    clearLife(run);
    run.ended = true;
    return releases;
  }
  const reason = fold(run, event, setting);
  trim(run, setting.policy);
  return settle(run, { ...occasion, reason, renew: event.type === 'attach' });
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
  return !refusing.some((key) => (run.slots.get(key)?.action ?? 'warn') !== 'warn');
}

/** Answers an unfounded veto: all that stands anew, then the end of everything older. */
export function heal(run: RunState, occasion: Occasion, { note }: Pick<Setting, 'note'>): Verdict[] {
  const ends = run.sequence;
  note({ kind: 'healed', runId: run.runId });
  return [...settle(run, { ...occasion, renew: true }), expire(run, occasion, ends)];
}

function fold(run: RunState, event: Exclude<RunEvent, { type: 'run_end' }>, setting: Setting): ReleaseReason {
  if (event.type === 'release') return foldRelease(run, event, setting);
  if (run.abort !== null) return 'cleared';
  switch (event.type) {
    case 'attach':
      return 'cleared';
    case 'tool_call':
      return foldCall(run, event, setting);
    case 'tool_result':
      return foldResult(run, event, setting);
    case 'compaction':
      return foldCompaction(run, event.retry, setting);
  }
}

function foldCall(run: RunState, event: ToolCall, { policy }: Setting): ReleaseReason {
  const raised = raiseLevels(run, event.delivered);
  if (policy.settingsFor(run.agentId).enabled !== false) {
    run.window.push(newRecord(event));
  }
  return raised ? 'delivered' : 'cleared';
}

/** Whether a level rose: only for a warning of this epoch that is still remembered. */
function raiseLevels(run: RunState, delivered: readonly Delivered[]): boolean {
  let raised = false;
  for (const { epoch, warning, level } of delivered) {
    for (const warned of run.warned.values()) {
      if (epoch !== run.epoch || warned.warning !== warning || warned.level >= level) continue;
      warned.level = level;
      raised = true;
    }
  }
  return raised;
}

function foldResult(run: RunState, event: ToolResult, setting: Setting): ReleaseReason {
  if (event.outcome !== 'result' && event.outcome !== 'error') return 'cleared';
  const record = recordOf(run, event);
  if (record === undefined) {
    setting.note({ kind: 'orphan', runId: run.runId });
    return 'cleared';
  }
  record.outcome = `${event.outcome}:${event.digest}`;
  record.missingTool = event.missingTool;
  const settings = setting.policy.settingsFor(run.agentId);
  const count = observeOutcome(run.guard, `${record.key}:${record.outcome}`, settings);
  return count > 0 ? fire(run, abortOf(record, count, settings), settings.observe) : 'cleared';
}

/** The pending record that an outcome fills, or a new one at the end. */
function recordOf(run: RunState, event: ToolResult): CallRecord | undefined {
  const { tool, args, callId, poll } = event;
  if (args === null) return findPendingCall(run.window, callId);
  const pending = findPending(run.window, { tool, args, callId });
  if (pending !== undefined) return pending;
  const record = newRecord({ tool, args, callId, poll });
  run.window.push(record);
  return record;
}

function abortOf({ tool }: CallRecord, count: number, { windowSize }: Settings): Finding {
  return {
    action: 'abort',
    match: { scope: 'run', tool, args: null },
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
function fire(run: RunState, abort: Finding, shadow: boolean): ReleaseReason {
  if (shadow) run.shadowAbort ??= abort;
  else run.abort = abort;
  return shadow ? 'cleared' : 'aborted';
}

function foldCompaction(run: RunState, retry: boolean, { policy, note }: Setting): ReleaseReason {
  const { enabled, windowSize } = policy.settingsFor(run.agentId);
  if (retry && enabled !== false) {
    run.guard = armedGuard(windowSize);
    note({ kind: 'armed', runId: run.runId, windowSize });
  }
  return 'cleared';
}

/** Cuts what an operator releases out of the fold; while an abort stands only the whole run is heard. */
function foldRelease(run: RunState, event: OperatorRelease, { note }: Setting): ReleaseReason {
  const { match } = event;
  const whole = match === null || match.scope === 'run';
  const meantForEarlier = event.epoch !== null && run.epoch > event.epoch;
  if (meantForEarlier || (run.abort !== null && !whole)) {
    note({ kind: 'ignored_release', runId: run.runId });
    return 'cleared';
  }
  if (whole) {
    run.window = [];
    run.guard = unarmedGuard();
    run.abort = null;
    run.shadowAbort = null;
  } else {
    run.window = run.window.filter(
      ({ tool, args }) => tool !== match.tool || (match.scope === 'signature' && args !== match.args),
    );
  }
  return 'operator';
}

/** Cuts the window to the size in force and forgets what has left it. */
function trim(run: RunState, policy: Policy): void {
  const { historySize } = policy.settingsFor(run.agentId);
  cutWindow(run.window, historySize);
  forgetWarnings(run);
  const excess = run.warned.size - historySize * WARNED_PER_RECORD;
  if (excess > 0) for (const key of [...run.warned.keys()].slice(0, excess)) run.warned.delete(key);
}
