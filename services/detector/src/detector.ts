import { partitionFacts } from '@loopwarden/detection';
import { type Assignment, type Batch, type Log, LogError, type LogGroup } from '@loopwarden/stream';
import { writeCommitMetadata } from './commit-metadata.ts';
import { type Committer, committerOf } from './committer.ts';
import type { Context } from './context.ts';
import { markRecord, verdictRecord } from './encode.ts';
import { beat, HEARTBEAT_MS, type Pulse } from './heartbeat.ts';
import { commitOf } from './lineage.ts';
import { append } from './publish.ts';
import { refuseLoss, restoreTask } from './restore.ts';
import { type Keeper, keeperOf } from './state/save.ts';
import type { Task } from './task.ts';
import { openWalk, type Walk } from './topology.ts';

/** Records judged before their verdicts are appended together: while a detector is behind, appends are what it waits for. */
const BATCH_SIZE = 2_000;

interface DetectorOptions {
  readonly context: Context;
  readonly log: Log;
  readonly group: string;
  /** Name of the replica, kept through restarts; absent: none. */
  readonly instance?: string;
  readonly clientId: string;
}

export interface Detector {
  /**
   * Stops judging after the batches in flight, commits what was judged, leaves the group. A batch that waits for
   * the log or for room on the disk is not waited for: whoever owns the partition next judges it again.
   */
  close(): Promise<void>;
}

/** One owned partition with what belongs to it. */
interface Owned {
  readonly assignment: Assignment;
  readonly giveUp: AbortController;
  task: Task | null;
  committer: Committer | null;
  keeper: Keeper | null;
  /** The offset that delivery goes on with. */
  next: number;
  waiting: boolean;
}

/** Joins the group and judges every partition that is assigned, until closed. */
export async function runDetector(options: DetectorOptions): Promise<Detector> {
  const { context, log, ...member } = options;
  const owned = new Map<number, Owned>();
  const joined = Promise.withResolvers<LogGroup>();
  const walk = openWalk();
  const closing = new AbortController();
  const station: Station = { context, owned, group: joined.promise, walk, closing: closing.signal };
  const membership = await log.join(
    { ...member, topic: context.topics.events, batchSize: BATCH_SIZE },
    {
      assigned: (assignment) => take(station, assignment),
      lost: (lost) => drop(station, lost),
      batch: (batch) => judge(station, batch),
      failed: ({ code, message }) =>
        code === 'replaced' ? context.facts.replaced(message) : context.facts.logFailed(message),
    },
  );
  joined.resolve(membership);
  return {
    async close() {
      await Promise.all([...owned.values()].map(({ committer }) => committer?.settled()));
      closing.abort();
      for (const entry of owned.values()) if (entry.waiting) entry.giveUp.abort();
      await membership.close();
      walk.close();
    },
  };
}

interface Station {
  readonly context: Context;
  readonly owned: Map<number, Owned>;
  readonly group: Promise<LogGroup>;
  readonly walk: Walk;
  readonly closing: AbortSignal;
}

/** Restores a newly assigned partition, says what must be said first, and returns where judging begins. */
async function take(station: Station, assignment: Assignment): Promise<number> {
  const { owned } = station;
  const { partition } = assignment;
  const giveUp = new AbortController();
  const signal = AbortSignal.any([assignment.signal, giveUp.signal]);
  const entry: Owned = {
    assignment: { ...assignment, signal },
    giveUp,
    task: null,
    committer: null,
    keeper: null,
    next: 0,
    waiting: false,
  };
  owned.set(partition, entry);
  const context = watched(station, entry);
  context.facts.assigned(partition);
  beat(context, pulseOf(entry), signal);

  const { task, offset, commit, renewed, stateKeys, how } = await restoreTask(context, entry.assignment);
  const group = await station.group;
  // Lost meanwhile, and perhaps assigned again: this commit would then pass as one of the next life.
  signal.throwIfAborted();
  const topic = context.topics.events;
  // Before the commit: a lineage that began must not go untold though its detector dies just then.
  context.facts.restored(how);
  if (commit !== null)
    await group.commit(topic, partition, { offset, metadata: writeCommitMetadata(commit) });
  const opening = renewed.map((verdict) => verdictRecord(context, task, { verdict, record: null }));
  await append(context, task, [...opening, markRecord(context, task, task.judged)]);
  entry.committer = committerOf(task, {
    topic,
    group,
    time: context.time,
    refused: () => giveUp.abort(),
    done: () => context.facts.committed(partition),
    failed: (detail) => context.facts.commitFailed(partition, detail),
  });
  // A commit that failed is tried again though no event may come.
  context.time.every(HEARTBEAT_MS, () => entry.committer?.advance(), signal);
  entry.keeper = keeperOf(context, task, stateKeys);
  entry.task = task;
  entry.next = offset;
  return offset;
}

function drop({ context, owned, walk }: Station, lost: { topic: string; partition: number }): void {
  const { partition } = lost;
  const entry = owned.get(partition);
  if (entry === undefined) return;
  entry.giveUp.abort();
  owned.delete(partition);
  walk.lose(lost);
  context.facts.lost(partition);
}

async function judge(station: Station, batch: Batch): Promise<void> {
  const { partition } = batch;
  const entry = station.owned.get(partition);
  if (entry?.task === null || entry?.task === undefined || entry.task.signal.aborted) {
    throw new LogError('fenced', `Partition ${partition} is not ours any more.`);
  }
  const { task, committer, keeper } = entry;
  const context = watched(station, entry);
  const [first, last] = [batch.records[0], batch.records.at(-1)];
  if (first !== undefined && first.offset > entry.next) await refuseLoss(context, partition, entry.next);
  await station.walk.take({ batch, context, task });
  entry.next = (last?.offset ?? task.judged) + 1;
  committer?.advance();
  keeper?.offer();
  const { judged, end, fold } = task;
  context.facts.progress({ partition, judged, end, liveRuns: partitionFacts(fold).liveRuns });
}

/** A partition that waits says so, and its heart stands still meanwhile. A detector that closes gives it up. */
function watched({ context, closing }: Station, entry: Owned): Context {
  const waiting = (partition: number, detail: string | null): void => {
    entry.waiting = detail !== null;
    context.facts.waiting(partition, detail);
    if (entry.waiting && closing.aborted) entry.giveUp.abort();
  };
  return { ...context, facts: { ...context.facts, waiting } };
}

/** While a partition restores its mark is −1 in the lineage of the commit; without a commit there is none. */
function pulseOf(entry: Owned): Pulse {
  const { partition, committed } = entry.assignment;
  return () => {
    if (entry.waiting) return null;
    if (entry.task !== null) return entry.task;
    return committed === null
      ? null
      : { partition, lineage: commitOf(committed).lineage, end: 0, judged: -1 };
  };
}
