import type { PolicyApplied, ReadEvent, RunEvent, UnknownEvent } from './event.ts';
import { heal, isUnfoundedVeto, judgePolicy, judgeRun } from './judge-run.ts';
import type { Note } from './note.ts';
import { type Memory, openMemory } from './pages.ts';
import { readAppliedPolicy } from './policy.ts';
import { leaveLine, moveToNewest, type Recency } from './recency.ts';
import { clearLife, newRun, type RunState, takeServer } from './run.ts';
import { type Saving, saveBeforeChange } from './save.ts';
import type { Policy } from './settings.ts';
import { admit, DUPLICATE } from './sources.ts';
import type { Verdict } from './verdict.ts';
import { closeWindow } from './window.ts';

/** Everything that is known of one events partition. Opaque: only this library reads its fields. */
export interface Partition extends Recency {
  policy: Policy;
  policyText: string;
  /** Of the policy in force; 0 or below: none was applied. */
  revision: number;
  /** Every epoch is at least this. */
  lineage: number;
  readonly maxRuns: number;
  readonly runs: Map<string, RunState>;
  /** Of the runs' windows. */
  readonly memory: Memory;
  /** The highest epoch that was forgotten; new runs begin above it. */
  forgottenEpoch: number;
  /** The highest epoch ever opened here. */
  highestEpoch: number;
  /** The newest record timestamp folded. */
  newestAt: number;
  /** Facts of the event that is being judged. */
  notes: Note[];
  /** The save under way. */
  saving: Saving | null;
  /** Saves begun so far. */
  saves: number;
}

export interface PartitionOptions {
  readonly policy: Policy;
  /** The document that the policy was compiled from, as JSON text; needed to save the partition. */
  readonly policyText?: string;
  readonly revision: number;
  readonly lineage?: number;
  /** Runs kept in memory; beyond it the least recently active is forgotten. */
  readonly maxRuns?: number;
}

/** What one event led to: verdicts in the order of publication, and facts for logs and counters. */
export interface Judgement {
  readonly verdicts: readonly Verdict[];
  readonly notes: readonly Note[];
}

/** Bounds memory where the operator sets nothing. */
const MAX_RUNS_DEFAULT = 200_000;

/** How far a log's clock may step back before reclaiming memory could be noticed. */
const CLOCK_SLACK_MS = 60_000;

export function openPartition({
  policy,
  revision,
  policyText = '{}',
  lineage = 0,
  maxRuns = MAX_RUNS_DEFAULT,
}: PartitionOptions): Partition {
  return {
    policy,
    policyText,
    revision,
    lineage,
    maxRuns,
    runs: new Map(),
    oldest: null,
    newest: null,
    memory: openMemory(),
    forgottenEpoch: 0,
    highestEpoch: 0,
    newestAt: 0,
    notes: [],
    saving: null,
    saves: 0,
  };
}

const NO_VERDICTS: readonly Verdict[] = [];
const NOTHING: Judgement = { verdicts: NO_VERDICTS, notes: [] };

/**
 * Folds one event into its partition and returns the verdicts that it leads to.
 * @param at the record's timestamp in epoch milliseconds
 */
export function judge(partition: Partition, event: ReadEvent, at: number): Judgement {
  if (at > partition.newestAt) partition.newestAt = at;
  const verdicts = judgeAny(partition, event, at);
  reclaim(partition);
  const { notes } = partition;
  if (verdicts.length === 0 && notes.length === 0) return NOTHING;
  partition.notes = [];
  return { verdicts, notes };
}

function judgeAny(partition: Partition, event: ReadEvent, at: number): readonly Verdict[] {
  switch (event.type) {
    case 'policy':
      return applyPolicy(partition, event, at);
    case 'unknown':
      return countUnknown(partition, event, at);
    default:
      return judgeEvent(partition, event, at);
  }
}

/** What is not understood changes nothing but the numbering of its source. */
function countUnknown(partition: Partition, event: UnknownEvent, at: number): readonly Verdict[] {
  const { runId, type } = event;
  partition.notes.push({ kind: 'skipped', runId, type });
  const run = findRun(partition, runId, at);
  if (run !== undefined) {
    saveBeforeChange(partition, run);
    admit(run, event);
  }
  return NO_VERDICTS;
}

function judgeEvent(partition: Partition, event: RunEvent, at: number): readonly Verdict[] {
  const run = findRun(partition, event.runId, at) ?? openRun(partition, event.runId, at);
  saveBeforeChange(partition, run);
  const missed = admit(run, event);
  if (missed !== 0) {
    const { runId, source, sequence } = event;
    partition.notes.push(
      missed === DUPLICATE
        ? { kind: 'duplicate', runId, source, sequence }
        : { kind: 'gap', runId, source, missed },
    );
    if (missed === DUPLICATE) return NO_VERDICTS;
  }
  moveToNewest(partition, run);
  if (at > run.lastAt) run.lastAt = at;
  if (run.ended && !reopen(partition, run, event)) return judgeLate(partition, run, event);
  return judgeRun(partition, run, event);
}

/** A run that was silent for longer than the horizon is forgotten before anything else is looked at. */
function findRun(partition: Partition, runId: string, at: number): RunState | undefined {
  const run = partition.runs.get(runId);
  if (run === undefined || at - run.lastAt <= partition.policy.idleMs) return run;
  forget(partition, run);
  return undefined;
}

function openRun(partition: Partition, runId: string, at: number): RunState {
  const { runs, maxRuns, oldest, memory, saves: saved } = partition;
  if (oldest !== null && runs.size >= maxRuns) {
    forget(partition, oldest);
    partition.notes.push({ kind: 'forgotten', runId: oldest.runId, epoch: oldest.epoch });
  }
  const epoch = Math.max(at, partition.forgottenEpoch + 1, partition.lineage);
  const run = newRun(memory, { runId, epoch, at, saved });
  partition.highestEpoch = Math.max(partition.highestEpoch, run.epoch);
  runs.set(runId, run);
  return run;
}

/** A call, attach or compaction after the end opens a new epoch. */
function reopen(partition: Partition, run: RunState, event: RunEvent): boolean {
  if (event.type !== 'tool_call' && event.type !== 'attach' && event.type !== 'compaction') return false;
  clearLife(run);
  run.ended = false;
  run.sequence = 0;
  run.epoch = Math.max(run.lastAt, run.epoch + 1, partition.lineage);
  partition.highestEpoch = Math.max(partition.highestEpoch, run.epoch);
  return true;
}

function judgeLate(partition: Partition, run: RunState, event: RunEvent): readonly Verdict[] {
  takeServer(run, event);
  if (!isUnfoundedVeto(run, event)) {
    partition.notes.push({ kind: 'late', runId: run.runId, type: event.type });
    return NO_VERDICTS;
  }
  return heal(partition, run, event);
}

function applyPolicy(partition: Partition, event: PolicyApplied, at: number): readonly Verdict[] {
  const { revision } = event;
  if (revision <= partition.revision) {
    partition.notes.push({ kind: 'stale_policy', revision });
    return NO_VERDICTS;
  }
  const policy = readAppliedPolicy(event.policy);
  if (policy === null) {
    partition.notes.push({ kind: 'refused_policy', revision });
    return NO_VERDICTS;
  }
  const { idleMs } = partition.policy;
  for (const run of partition.runs.values()) if (at - run.lastAt > idleMs) forget(partition, run);
  partition.policy = policy;
  partition.policyText = event.policy;
  partition.revision = revision;
  partition.notes.push({ kind: 'policy', revision });
  return settleAll(partition, event, at);
}

/** Every live run, by run id so that the order does not depend on who was active last. */
function settleAll(partition: Partition, event: PolicyApplied, at: number): readonly Verdict[] {
  const { policy, revision } = partition;
  const trigger = { source: event.source, sequence: event.sequence };
  const runs = [...partition.runs.values()].filter((run) => !run.ended);
  runs.sort((a, b) => (a.runId < b.runId ? -1 : 1));
  for (const run of runs) saveBeforeChange(partition, run);
  return runs.flatMap((run) =>
    judgePolicy(run, {
      trigger,
      at: Math.max(at, run.lastAt),
      policy,
      revision,
      reason: 'policy',
      renew: false,
    }),
  );
}

/** Whatever is forgotten leaves its epoch behind. */
export function forget(partition: Partition, run: RunState): void {
  saveBeforeChange(partition, run);
  partition.runs.delete(run.runId);
  leaveLine(partition, run);
  closeWindow(run);
  partition.forgottenEpoch = Math.max(partition.forgottenEpoch, run.epoch);
}

/** Frees the memory of runs whose next event would forget them anyway. */
function reclaim(partition: Partition): void {
  const horizon = partition.newestAt - partition.policy.idleMs - CLOCK_SLACK_MS;
  for (let { oldest } = partition; oldest !== null && oldest.lastAt < horizon; oldest = partition.oldest)
    forget(partition, oldest);
}

/** What a process reports or commits about a partition. */
export interface PartitionFacts {
  readonly liveRuns: number;
  readonly highestEpoch: number;
  readonly newestAt: number;
  readonly revision: number;
  readonly idleMs: number;
  readonly policyText: string;
}

export function partitionFacts({
  runs,
  highestEpoch,
  newestAt,
  revision,
  policy,
  policyText,
}: Partition): PartitionFacts {
  return { liveRuns: runs.size, highestEpoch, newestAt, revision, idleMs: policy.idleMs, policyText };
}
