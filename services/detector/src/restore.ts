import { ENGINE, type Partition, partitionFacts, renewPartition, type Verdict } from '@loopwarden/detection';
import type { Assignment, Committed, PartitionRange } from '@loopwarden/stream';
import { readLineage } from '@loopwarden/wire';
import type { CommitMetadata } from './commit-metadata.ts';
import type { Context } from './context.ts';
import { SILENT } from './facts.ts';
import { foldStart, recordAt } from './fold-start.ts';
import { commitOf, newLineageReason } from './lineage.ts';
import type { Task } from './task.ts';
import { foldBatch } from './topology.ts';

/** A task that has caught up silently, and what must happen before it judges. */
export interface RestoredTask {
  readonly task: Task;
  /** Where delivery begins. */
  readonly offset: number;
  /** To be committed before anything is published; null: the commit already says so. */
  readonly commit: CommitMetadata | null;
  /** What stands anew in a new lineage; to be published before the first mark. */
  readonly renewed: readonly Verdict[];
}

/**
 * Rebuilds a partition's fold from its events, publishing nothing up to the committed offset, and begins a
 * new lineage where the fold is not provably the one that was published from (wire contract, section 11).
 */
export async function restoreTask(context: Context, assignment: Assignment): Promise<RestoredTask> {
  const { committed, partition, signal } = assignment;
  const events = await rangeOf(context, context.topics.events, partition);
  const start = await foldStart(context, events, committed);
  const offset = Math.max(committed?.offset ?? start.from, start.from);
  const task: Task = { partition, signal, lineage: 0, fold: start.fold, judged: offset - 1, end: events.end };
  await catchUp({ ...context, facts: SILENT }, task, [start.from, offset]);

  const control = await rangeOf(context, context.topics.control, partition);
  const newLineage = newLineageReason({ from: start.from, committed, controlIsEmpty: control.end === 0 });
  const lineage = newLineage === null ? 0 : await nextLineage(context, { task, events, control, committed });
  const renewed = newLineage === null ? [] : renewPartition(start.fold, lineage);
  const { liveRuns, highestEpoch } = partitionFacts(start.fold);
  context.facts.restored({ partition, from: start.from, to: offset, lineage, newLineage, liveRuns });
  const unsaid = committed === null || newLineage !== null;
  return {
    task: { ...task, lineage, judged: committed === null ? -1 : offset - 1 },
    offset,
    commit: unsaid ? { lineage, highestEpoch, engine: ENGINE } : null,
    renewed,
  };
}

async function rangeOf(context: Context, topic: string, partition: number): Promise<PartitionRange> {
  const ranges = await context.reader.ranges(topic);
  const range = ranges.find((candidate) => candidate.partition === partition);
  if (range === undefined)
    throw new Error(`Topic ${topic} has no partition ${partition}: its topics differ in partitions.`);
  return range;
}

/** Folds `[from, until)` without publishing; batch by batch, so that a long log is never held in memory. */
async function catchUp(
  context: Context,
  task: Task,
  [from, until]: readonly [number, number],
): Promise<void> {
  if (from >= until) return;
  const { signal, partition } = task;
  const read = { topic: context.topics.events, partition, from: { offset: from }, until, signal };
  for await (const batch of context.reader.read(read)) await foldBatch(context, task, batch);
  signal.throwIfAborted();
}

/** One more than every number that an older lineage or its epochs can have reached. */
async function nextLineage(
  context: Context,
  known: {
    task: { fold: Partition };
    events: PartitionRange;
    control: PartitionRange;
    committed: Committed | null;
  },
): Promise<number> {
  const { task, events, control, committed } = known;
  const { topics, reader } = context;
  const newest = await recordAt(reader, { topic: topics.events, ...events, offset: events.end - 1 });
  const published = await recordAt(reader, { topic: topics.control, ...control, offset: control.end - 1 });
  const commit = commitOf(committed);
  const state = partitionFacts(task.fold);
  return (
    1 +
    Math.max(
      newest?.timestamp ?? 0,
      state.newestAt,
      commit.lineage,
      commit.highestEpoch,
      state.highestEpoch,
      published === null ? 0 : (readLineage(published.headers) ?? 0),
    )
  );
}
