import { beginSave, ENGINE, endSave, partitionFacts } from '@loopwarden/detection';
import type { Context } from '../context.ts';
import type { Task } from '../task.ts';
import { STATE_LAYOUT } from './layout.ts';
import { removeOlder, type Standing, standingOf } from './remove.ts';
import {
  type Checksum,
  checksum,
  chunkKey,
  manifestHead,
  manifestKey,
  newName,
  packRuns,
} from './snapshot.ts';
import { writeState } from './write.ts';

/** How often a partition's state is saved while events come. */
const EVERY_MS = 60_000;

/** Runs saved in one go: about a millisecond, so that judging never waits longer. */
const RUNS_PER_SLICE = 100;

/** Size of a chunk; far below what a topic takes. */
const CHUNK_BYTES = 256 * 1024;

/** Saves a task's state now and then, beside judging. */
export interface Keeper {
  /** Called between two batches: begins a snapshot when one is due. */
  offer(): void;
  /** Resolves when no snapshot is under way. */
  settled(): Promise<void>;
}

/**
 * @param keys what the state partition held when it was loaded; removed once nobody can need it
 */
export function keeperOf(context: Context, task: Task, keys: ReadonlySet<string>): Keeper {
  let due = true;
  let covered = -1;
  let running: Promise<void> | null = null;
  const { layout = STATE_LAYOUT } = context;
  const standing = standingOf(keys, layout.format);
  context.time.every(EVERY_MS, () => (due = true), task.signal);
  return {
    offer() {
      if (!due || running !== null || task.judged + 1 <= covered || task.signal.aborted) return;
      due = false;
      covered = task.judged + 1;
      running = saveTask(context, task, standing)
        .catch((failure: unknown) => context.facts.stateFailed(task.partition, String(failure)))
        .finally(() => {
          running = null;
        });
    },
    async settled() {
      await running;
    },
  };
}

/** Writes one snapshot: chunks while judging goes on, then the manifest, then the removal of older ones. */
async function saveTask(context: Context, task: Task, standing: Standing): Promise<void> {
  const { partition, lineage, fold } = task;
  const { format } = context.layout ?? STATE_LAYOUT;
  const coveredOffset = task.judged + 1;
  const snapshot = newName({ format, lineage, covered: coveredOffset });
  const own: string[] = [];
  standing.own.push(own);
  const { policyText: policy } = partitionFacts(fold);
  const head = beginSave(fold);
  try {
    const { count, bytes, sum } = await saveChunks(context, task, { snapshot, own });
    const place = { type: 'manifest', snapshot, partition, count, coveredOffset } as const;
    const manifest = { ...place, ...manifestHead(head), policy, format, engine: ENGINE, lineage };
    own.push(manifestKey(snapshot));
    const value = context.codec.encodeState({ ...manifest, checksum: sum.of(manifest) });
    await writeState(context, task, [[manifestKey(snapshot), value]]);
    context.facts.saved({ partition, covered: coveredOffset, bytes });
  } finally {
    endSave(fold);
  }
  await removeOlder(context, task, standing);
}

/** @param into the snapshot's name and the list of its keys, which grows */
async function saveChunks(
  context: Context,
  task: Task,
  { snapshot, own }: { snapshot: string; own: string[] },
): Promise<{ count: number; bytes: number; sum: Checksum }> {
  const sum = checksum();
  let count = 0;
  let total = 0;
  for await (const bytes of chunksOf(context, task)) {
    sum.add(bytes);
    const key = chunkKey(snapshot, count);
    own.push(key);
    await writeState(context, task, [
      [key, context.codec.encodeState({ type: 'chunk', snapshot, index: count, bytes })],
    ]);
    count += 1;
    total += bytes.length;
  }
  return { count, bytes: total, sum };
}

/** The runs of the save under way as bytes, cut at the size of a chunk; other work goes on between two slices. */
async function* chunksOf(context: Context, { fold, signal }: Task): AsyncGenerator<Uint8Array> {
  const { time, layout = STATE_LAYOUT } = context;
  const next = (): readonly Uint8Array[] => layout.saveRuns(fold, RUNS_PER_SLICE);
  let bytes: Uint8Array = new Uint8Array();
  for (let runs = next(); runs.length > 0; runs = next()) {
    bytes = Buffer.concat([bytes, packRuns(runs)]);
    while (bytes.length >= CHUNK_BYTES) {
      yield bytes.subarray(0, CHUNK_BYTES);
      bytes = bytes.subarray(CHUNK_BYTES);
    }
    await time.pause(1, signal);
  }
  if (bytes.length > 0) yield bytes;
}
