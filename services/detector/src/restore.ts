import { ENGINE, partitionFacts, renewPartition, type Verdict } from '@loopwarden/detection';
import type { Assignment, PartitionRange } from '@loopwarden/stream';
import { readLineage } from '@loopwarden/wire';
import type { CommitMetadata } from './commit-metadata.ts';
import type { Context } from './context.ts';
import { type Restored, SILENT } from './facts.ts';
import { type FoldStart, foldStart, recordAt } from './fold-start.ts';
import { commitOf, newLineageReason } from './lineage.ts';
import { rangeOf } from './ranges.ts';
import { loadState, readStates, unreadStates } from './state/load.ts';
import type { Task } from './task.ts';
import { foldSilently } from './topology.ts';

/** A task that has caught up silently, and what must happen before it judges. */
interface RestoredTask {
  readonly task: Task;
  /** Where delivery begins. */
  readonly offset: number;
  /** To be committed before anything is published; null: the commit already says so. */
  readonly commit: CommitMetadata | null;
  /** What stands anew in a new lineage; to be published before the first mark. */
  readonly renewed: readonly Verdict[];
  /** What the state partition holds. */
  readonly stateKeys: ReadonlySet<string>;
  /** To be told unless the partition was lost meanwhile. */
  readonly how: Restored;
}

/**
 * Brings a partition's fold up to the committed offset, from saved state or from its events, publishing
 * nothing; begins a new lineage where the fold is not provably the one that was published from (wire contract,
 * section 11).
 */
export async function restoreTask(context: Context, assignment: Assignment): Promise<RestoredTask> {
  const { committed, partition, signal } = assignment;
  const events = await rangeOf(context, context.topics.events, partition);
  const states = await readStates(context, partition);
  const start = await startOf(context, { assignment, events, states });
  // A log that ends before the commit has lost its end: nothing is waited for.
  const offset = Math.max(Math.min(committed?.offset ?? start.from, events.end), start.from);
  const fold = {
    partition,
    signal,
    lineage: start.state.lineage,
    fold: start.fold,
    judged: offset - 1,
    end: events.end,
  };
  await catchUp({ ...context, facts: SILENT }, fold, [start.from, offset]);

  const control = await rangeOf(context, context.topics.control, partition);
  const origin = { from: start.loaded ? null : start.from, state: start.state, committed, end: events.end };
  const newLineage = newLineageReason({ ...origin, controlIsEmpty: control.end === 0 });
  const lineage =
    newLineage === null
      ? start.state.lineage
      : await nextLineage(context, { fold, events, control, assignment });
  const renewed = newLineage === null ? [] : renewPartition(start.fold, lineage);
  const { liveRuns, highestEpoch, revision } = partitionFacts(start.fold);
  const { from, loaded } = start;
  const read = { from, to: offset, loaded, unread: unreadStates(states) };
  const unsaid = committed === null || newLineage !== null;
  return {
    task: { ...fold, lineage, judged: committed === null && !loaded ? -1 : offset - 1 },
    offset,
    commit: unsaid ? { lineage, highestEpoch, engine: ENGINE } : null,
    renewed,
    stateKeys: states.keys,
    how: { partition, ...read, lineage, newLineage, revision, liveRuns },
  };
}

interface Start extends FoldStart {
  readonly loaded: boolean;
  readonly state: { readonly lineage: number; readonly engine: string };
}

/** Saved state if some is usable, else the events. */
async function startOf(
  context: Context,
  known: { assignment: Assignment; events: PartitionRange; states: Awaited<ReturnType<typeof readStates>> },
): Promise<Start> {
  const { assignment, events, states } = known;
  const { partition, committed } = assignment;
  const { lineage, engine } = commitOf(committed);
  const loaded = loadState(states, { partition, range: events, lineage, engine, maxRuns: context.maxRuns });
  if (loaded !== null) return { from: loaded.covered, fold: loaded.fold, loaded: true, state: loaded };
  const start = await foldStart(context, events, committed);
  return { ...start, loaded: false, state: { lineage: 0, engine: ENGINE } };
}

/** Folds `[from, until)` without publishing. */
async function catchUp(
  context: Context,
  task: Task,
  [from, until]: readonly [number, number],
): Promise<void> {
  if (from >= until) return;
  const { partition } = task;
  await foldSilently(context, task, {
    topic: context.topics.events,
    partition,
    from: { offset: from },
    until,
  });
  await refuseLoss(context, partition, from);
}

/**
 * Rejects when retention has overtaken a reader that stood at the offset: a fold over what is left would be
 * another than the one that its lineage names.
 */
export async function refuseLoss(context: Context, partition: number, offset: number): Promise<void> {
  const { start } = await rangeOf(context, context.topics.events, partition);
  if (start > offset)
    throw new Error(`The log lost events from offset ${offset} on before they were judged.`);
}

/** One more than every number that an older lineage or its epochs can have reached. */
async function nextLineage(
  { topics, reader }: Context,
  known: { fold: Task; events: PartitionRange; control: PartitionRange; assignment: Assignment },
): Promise<number> {
  const { fold, events, control, assignment } = known;
  const newest = await recordAt(reader, { topic: topics.events, ...events, offset: events.end - 1 });
  const published = await recordAt(reader, { topic: topics.control, ...control, offset: control.end - 1 });
  const commit = commitOf(assignment.committed);
  const state = partitionFacts(fold.fold);
  const reached = [newest?.timestamp ?? 0, state.newestAt, state.highestEpoch, fold.lineage];
  const said = published === null ? 0 : (readLineage(published.headers) ?? 0);
  return 1 + Math.max(...reached, commit.lineage, commit.highestEpoch, said);
}
