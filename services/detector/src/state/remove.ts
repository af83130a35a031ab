import type { Context } from '../context.ts';
import { rangeOf } from '../ranges.ts';
import type { Task } from '../task.ts';
import { manifestKey, readName, snapshotOf } from './snapshot.ts';
import { writeState } from './write.ts';

/** Snapshots kept besides the newest: the one before may be read at this moment. */
const KEPT = 1;

/** Keys that stand in a state partition, by who may remove them when. */
export interface Standing {
  /** Of the format that is written here, or of none: superseded by newer snapshots. The oldest come first. */
  readonly own: string[][];
  /** Of other formats: detectors of that version may come, or come back, and go on from them. */
  others: readonly string[];
}

/** @param format the one that is written here */
export function standingOf(keys: ReadonlySet<string>, format: number): Standing {
  const isOther = (key: string): boolean => (readName(snapshotOf(key))?.format ?? format) !== format;
  return { own: [[...keys].filter((key) => !isOther(key))], others: [...keys].filter(isOther) };
}

/** Removes what newer snapshots have superseded, and what no detector of another format can go on from. */
export async function removeOlder(context: Context, task: Task, standing: Standing): Promise<void> {
  const { own } = standing;
  while (own.length > KEPT + 1) {
    await remove(context, task, own[0] ?? []);
    own.shift();
  }
  if (standing.others.length > 0) await removeUseless(context, task, standing);
}

/**
 * A snapshot of another format is left alone while its covered offset lies in the log and its lineage goes on:
 * only then can it spare anybody a new lineage.
 */
async function removeUseless(context: Context, task: Task, standing: Standing): Promise<void> {
  const { start } = await rangeOf(context, context.topics.events, task.partition);
  const isUseless = (key: string): boolean => {
    const name = readName(snapshotOf(key));
    return name === null || name.covered < start || name.lineage < task.lineage;
  };
  await remove(context, task, standing.others.filter(isUseless));
  standing.others = standing.others.filter((key) => !isUseless(key));
}

/** Tombstones, manifests first: a half-removed snapshot is not whole. */
async function remove(context: Context, task: Task, keys: readonly string[]): Promise<void> {
  const isManifest = (key: string): boolean => key === manifestKey(snapshotOf(key));
  const order = [...keys].sort((a, b) => Number(isManifest(b)) - Number(isManifest(a)));
  await writeState(
    context,
    task,
    order.map((key) => [key, null]),
  );
}
