import type { Match } from './event.ts';
import type { Finding } from './finding.ts';
import type { Guard } from './guard.ts';
import type { Partition } from './partition.ts';
import type { RunState, Slot, SourceMark, Warned } from './run.ts';
import type { Policy } from './settings.ts';
import type { CallRecord } from './window.ts';

/** Version of the saved form; another one is not read. */
export const SAVED_FORMAT = 1;

interface SavedRun {
  readonly runId: string;
  readonly agentId: string | null;
  readonly sessionId: string | null;
  readonly gatewayId: string;
  readonly epoch: number;
  readonly sequence: number;
  readonly ended: boolean;
  readonly lastAt: number;
  readonly sources: readonly SourceMark[];
  readonly window: readonly CallRecord[];
  readonly warned: readonly (readonly [string, Warned])[];
  readonly guard: Guard;
  readonly abort: Finding | null;
  readonly shadowAbort: Finding | null;
  readonly slots: readonly (readonly [string, Slot & { readonly match: Match }])[];
}

/** What is saved of a partition besides its runs and its policy, which the caller keeps as text. */
export interface SavedHead {
  readonly format: number;
  readonly revision: number;
  readonly lineage: number;
  readonly forgottenEpoch: number;
  readonly highestEpoch: number;
  readonly newestAt: number;
}

export interface SavedPartition extends SavedHead {
  /** One text per run, in any order. */
  readonly runs: readonly string[];
}

/** A save under way: runs not yet saved, and texts of runs that had to be saved before they changed. */
export interface Saving {
  readonly pending: Map<string, RunState>;
  readonly early: string[];
}

/**
 * Begins to save the partition as it is now. Judging goes on meanwhile: a run is saved before it changes. Ends
 * with `endSave`; one save at a time.
 */
export function beginSave(partition: Partition): SavedHead {
  if (partition.saving !== null) throw new Error('This partition is being saved already.');
  partition.saving = { pending: new Map(partition.runs), early: [] };
  const { revision, lineage, forgottenEpoch, highestEpoch, newestAt } = partition;
  return { format: SAVED_FORMAT, revision, lineage, forgottenEpoch, highestEpoch, newestAt };
}

/** The next runs of the save under way, about `limit` of them; none: all are saved. */
export function saveRuns({ saving }: Partition, limit: number): readonly string[] {
  if (saving === null) throw new Error('This partition is not being saved.');
  const texts = saving.early.splice(0);
  for (const run of saving.pending.values()) {
    if (texts.length >= limit) break;
    saving.pending.delete(run.runId);
    texts.push(saveRun(run));
  }
  return texts;
}

export function endSave(partition: Partition): void {
  partition.saving = null;
}

/** A run is about to change: a save under way takes it as it is. */
export function saveBeforeChange({ saving }: Partition, run: RunState): void {
  if (saving?.pending.get(run.runId) !== run) return;
  saving.pending.delete(run.runId);
  saving.early.push(saveRun(run));
}

/** The whole partition at once. */
export function savePartition(partition: Partition): SavedPartition {
  const head = beginSave(partition);
  const runs = saveRuns(partition, Number.POSITIVE_INFINITY);
  endSave(partition);
  return { ...head, runs };
}

/** The partition as it was saved, under the policy that was in force. The caller has checked the format. */
export function restorePartition(
  { runs, ...head }: SavedHead & { readonly runs: Iterable<string> },
  { policyText = '{}', ...options }: { policy: Policy; policyText?: string; maxRuns: number },
): Partition {
  const { revision, lineage, forgottenEpoch, highestEpoch, newestAt } = head;
  const restored = Array.from(runs, restoreRun).sort((a, b) => a.lastAt - b.lastAt);
  return {
    ...options,
    policyText,
    revision,
    lineage,
    forgottenEpoch,
    highestEpoch,
    newestAt,
    saving: null,
    runs: new Map(restored.map((run) => [run.runId, run])),
  };
}

function saveRun(run: RunState): string {
  const saved: SavedRun = { ...run, warned: [...run.warned], slots: [...run.slots] };
  return JSON.stringify(saved);
}

function restoreRun(text: string): RunState {
  const saved: SavedRun = JSON.parse(text);
  return {
    ...saved,
    sources: [...saved.sources],
    window: [...saved.window],
    guard: { ...saved.guard, seen: [...saved.guard.seen] },
    warned: new Map(saved.warned),
    slots: new Map(saved.slots),
  };
}
