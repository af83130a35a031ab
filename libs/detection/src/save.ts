import { openMemory } from './pages.ts';
import type { Partition } from './partition.ts';
import { moveToNewest } from './recency.ts';
import type { RunState } from './run.ts';
import { type Restoring, restoreRun, saveRun } from './saved-run.ts';
import type { Policy } from './settings.ts';

/** Version of the form of a saved run. A change takes the next number, and keeps the reader of this one. */
export const SAVED_FORMAT = 2;

/** What is saved of a partition besides its runs and its policy, which the caller keeps as text. */
export interface SavedHead {
  readonly revision: number;
  readonly lineage: number;
  readonly forgottenEpoch: number;
  readonly highestEpoch: number;
  readonly newestAt: number;
}

/** One element per run; those last active at the same time in their line. */
interface SavedRuns {
  readonly runs: Iterable<Uint8Array>;
}

export interface SavedPartition extends SavedHead {
  readonly runs: readonly Uint8Array[];
}

/** A save under way: runs not yet looked at, and what had to be saved before it changed. */
export interface Saving {
  readonly ahead: Iterator<RunState>;
  early: Uint8Array[];
}

/**
 * Begins to save the partition as it is now. Judging goes on meanwhile: a run is saved before it changes. Ends
 * with `endSave`; one save at a time.
 */
export function beginSave(partition: Partition): SavedHead {
  if (partition.saving !== null) throw new Error('This partition is being saved already.');
  partition.saving = { ahead: partition.runs.values(), early: [] };
  partition.saves += 1;
  const { revision, lineage, forgottenEpoch, highestEpoch, newestAt } = partition;
  return { revision, lineage, forgottenEpoch, highestEpoch, newestAt };
}

/** The next runs of the save under way, about `limit` of them and those of their time; none: all are saved. */
export function saveRuns({ saving, saves }: Partition, limit: number): readonly Uint8Array[] {
  if (saving === null) throw new Error('This partition is not being saved.');
  const taken = saving.early;
  saving.early = [];
  while (taken.length < limit) {
    const { done, value: run } = saving.ahead.next();
    if (done === true) break;
    if (run.saved !== saves) saveMoment(run, { saves, taken });
  }
  return taken;
}

/**
 * Saves a run with all that were last active at the same time, in their line: restoring goes by time, and leaves
 * those of one time as they come.
 */
function saveMoment(run: RunState, { saves, taken }: { saves: number; taken: Uint8Array[] }): void {
  const belongs = (other: RunState | null): other is RunState =>
    other !== null && other.lastAt === run.lastAt && other.saved !== saves;
  let next: RunState | null = run;
  while (belongs(next.older)) next = next.older;
  for (; belongs(next); next = next.newer) {
    next.saved = saves;
    taken.push(saveRun(next));
  }
}

export function endSave(partition: Partition): void {
  partition.saving = null;
}

/** A run is about to change: a save under way takes it as it is, and those of its time. */
export function saveBeforeChange({ saving, saves }: Partition, run: RunState): void {
  if (saving === null || run.saved === saves) return;
  saveMoment(run, { saves, taken: saving.early });
}

/** The whole partition at once. */
export function savePartition(partition: Partition): SavedPartition {
  const head = beginSave(partition);
  const runs = saveRuns(partition, Number.POSITIVE_INFINITY);
  endSave(partition);
  return { ...head, runs };
}

/** The partition as it was saved, under the policy that was in force. The caller knows the format. */
export function restorePartition(
  { runs, revision, lineage, forgottenEpoch, highestEpoch, newestAt }: SavedHead & SavedRuns,
  { policyText = '{}', ...options }: { policy: Policy; policyText?: string; maxRuns: number },
): Partition {
  const memory = openMemory();
  const restoring: Restoring = { memory, reader: null, before: null };
  const restored: RunState[] = [];
  for (const bytes of runs) restored.push(restoreRun(bytes, restoring));
  restored.sort((a, b) => a.lastAt - b.lastAt);
  const partition: Partition = {
    ...options,
    policyText,
    revision,
    lineage,
    forgottenEpoch,
    highestEpoch,
    newestAt,
    memory,
    runs: new Map(),
    oldest: null,
    newest: null,
    notes: [],
    saving: null,
    saves: 0,
  };
  for (const run of restored) {
    partition.runs.set(run.runId, run);
    moveToNewest(partition, run);
  }
  return partition;
}
