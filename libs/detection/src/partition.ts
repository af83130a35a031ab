import type { PolicyApplied, ReadEvent, RunEvent, UnknownEvent } from './event.ts';
import { heal, isUnfoundedVeto, judgePolicy, judgeRun } from './judge-run.ts';
import type { Note } from './note.ts';
import { readAppliedPolicy } from './policy.ts';
import { clearLife, newRun, type RunState } from './run.ts';
import { type Saving, saveBeforeChange } from './save.ts';
import type { Policy } from './settings.ts';
import { admit } from './sources.ts';
import type { Verdict } from './verdict.ts';

/** Everything that is known of one events partition. Opaque: only this library reads its fields. */
export interface Partition {
  policy: Policy;
  policyText: string;
  /** Of the policy in force; 0 or below: none was applied. */
  revision: number;
  /** Every epoch is at least this. */
  lineage: number;
  readonly maxRuns: number;
  /** Least recently active first. */
  readonly runs: Map<string, RunState>;
  /** The highest epoch that was forgotten; new runs begin above it. */
  forgottenEpoch: number;
  /** The highest epoch ever opened here. */
  highestEpoch: number;
  /** The newest record timestamp folded. */
  newestAt: number;
  /** The save under way. */
  saving: Saving | null;
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
    forgottenEpoch: 0,
    highestEpoch: 0,
    newestAt: 0,
    saving: null,
  };
}

/**
 * Folds one event into its partition and returns the verdicts that it leads to.
 * @param at the record's timestamp in epoch milliseconds
 */
export function judge(partition: Partition, event: ReadEvent, at: number): Judgement {
  const notes: Note[] = [];
  const note = (fact: Note): void => void notes.push(fact);
  partition.newestAt = Math.max(partition.newestAt, at);
  const verdicts = judgeAny(partition, { event, at, note });
  reclaim(partition);
  return { verdicts, notes };
}

interface Arrival<E extends ReadEvent> {
  readonly event: E;
  readonly at: number;
  readonly note: (note: Note) => void;
}

function judgeAny(partition: Partition, { event, at, note }: Arrival<ReadEvent>): Verdict[] {
  switch (event.type) {
    case 'policy':
      return applyPolicy(partition, { event, at, note });
    case 'unknown':
      return countUnknown(partition, { event, at, note });
    default:
      return judgeEvent(partition, { event, at, note });
  }
}

/** What is not understood changes nothing but the numbering of its source. */
function countUnknown(partition: Partition, { event, at, note }: Arrival<UnknownEvent>): Verdict[] {
  const { runId, type } = event;
  note({ kind: 'skipped', runId, type });
  const run = findRun(partition, runId, at);
  if (run === undefined) return [];
  saveBeforeChange(partition, run);
  admit(run, event);
  return [];
}

function judgeEvent(partition: Partition, { event, at, note }: Arrival<RunEvent>): Verdict[] {
  const run = findRun(partition, event.runId, at) ?? openRun(partition, { event, at, note });
  saveBeforeChange(partition, run);
  const numbering = admit(run, event);
  const { runId, source, sequence } = event;
  if (numbering.duplicate) {
    note({ kind: 'duplicate', runId, source, sequence });
    return [];
  }
  if (numbering.missed > 0) note({ kind: 'gap', runId, source, missed: numbering.missed });
  touch(partition, run, event);
  run.lastAt = Math.max(run.lastAt, at);
  if (run.ended && !reopen(partition, run, event)) return judgeLate(partition, run, { event, at, note });
  const { policy, revision } = partition;
  return judgeRun(run, event, { policy, revision, at: run.lastAt, note });
}

/** A run that was silent for longer than the horizon is forgotten before anything else is looked at. */
function findRun(partition: Partition, runId: string, at: number): RunState | undefined {
  const run = partition.runs.get(runId);
  if (run === undefined || at - run.lastAt <= partition.policy.idleMs) return run;
  forget(partition, run);
  return undefined;
}

function openRun(partition: Partition, { event, at, note }: Arrival<RunEvent>): RunState {
  const { runs, maxRuns } = partition;
  const oldest = runs.values().next().value;
  if (oldest !== undefined && runs.size >= maxRuns) {
    forget(partition, oldest);
    note({ kind: 'forgotten', runId: oldest.runId, epoch: oldest.epoch });
  }
  const run = newRun(event.runId, Math.max(at, partition.forgottenEpoch + 1, partition.lineage), at);
  partition.highestEpoch = Math.max(partition.highestEpoch, run.epoch);
  runs.set(run.runId, run);
  return run;
}

/** Makes the run the most recently active one and notes who serves it. */
function touch(partition: Partition, run: RunState, event: RunEvent): void {
  partition.runs.delete(run.runId);
  partition.runs.set(run.runId, run);
  if (event.type === 'release') return;
  run.agentId = event.agentId ?? run.agentId;
  run.sessionId = event.sessionId ?? run.sessionId;
  run.gatewayId = event.gatewayId;
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

function judgeLate(partition: Partition, run: RunState, { event, note }: Arrival<RunEvent>): Verdict[] {
  if (!isUnfoundedVeto(run, event)) {
    note({ kind: 'late', runId: run.runId, type: event.type });
    return [];
  }
  const { policy, revision } = partition;
  const trigger = { source: event.source, sequence: event.sequence };
  return heal(run, { trigger, at: run.lastAt, policy, revision, reason: 'cleared', renew: false }, { note });
}

function applyPolicy(partition: Partition, { event, at, note }: Arrival<PolicyApplied>): Verdict[] {
  const { revision } = event;
  if (revision <= partition.revision) {
    note({ kind: 'stale_policy', revision });
    return [];
  }
  const policy = readAppliedPolicy(event.policy);
  if (policy === null) {
    note({ kind: 'refused_policy', revision });
    return [];
  }
  const { idleMs } = partition.policy;
  for (const run of partition.runs.values()) if (at - run.lastAt > idleMs) forget(partition, run);
  partition.policy = policy;
  partition.policyText = event.policy;
  partition.revision = revision;
  note({ kind: 'policy', revision });
  return settleAll(partition, { event, at });
}

/** Every live run, by run id so that the order does not depend on who was active last. */
function settleAll(partition: Partition, { event, at }: { event: PolicyApplied; at: number }): Verdict[] {
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
  partition.runs.delete(run.runId);
  partition.forgottenEpoch = Math.max(partition.forgottenEpoch, run.epoch);
}

/** Frees the memory of runs whose next event would forget them anyway. */
function reclaim(partition: Partition): void {
  const horizon = partition.newestAt - partition.policy.idleMs - CLOCK_SLACK_MS;
  for (const run of partition.runs.values()) {
    if (run.lastAt >= horizon) return;
    forget(partition, run);
  }
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
