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

/** A partition's state apart from its policy, which the log of policies holds. */
export interface SavedPartition {
  readonly format: number;
  readonly revision: number;
  readonly lineage: number;
  readonly forgottenEpoch: number;
  readonly highestEpoch: number;
  readonly newestAt: number;
  /** One JSON text per run, least recently active first. */
  readonly runs: readonly string[];
}

export function savePartition(partition: Partition): SavedPartition {
  const { revision, lineage, forgottenEpoch, highestEpoch, newestAt } = partition;
  const runs = [...partition.runs.values()].map(saveRun);
  return { format: SAVED_FORMAT, revision, lineage, forgottenEpoch, highestEpoch, newestAt, runs };
}

/** The partition as it was saved, under the policy that was in force. The caller has checked the format. */
export function restorePartition(
  saved: SavedPartition,
  options: { policy: Policy; maxRuns: number },
): Partition {
  const { revision, lineage, forgottenEpoch, highestEpoch, newestAt } = saved;
  const runs = saved.runs.map(restoreRun);
  return {
    ...options,
    revision,
    lineage,
    forgottenEpoch,
    highestEpoch,
    newestAt,
    runs: new Map(runs.map((run) => [run.runId, run])),
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
