import type { RunChange } from './policy-change.ts';
import type { Finding } from './replay-listener.ts';

/** How many verdicts came out how, and how many runs would have been blocked at another time. */
export interface ReplayTotals {
  readonly verdicts: Record<Finding['state'], number>;
  /** Of those that are not equal: verdicts of runs that may have begun before what was read. */
  partial: number;
  /** Verdicts of runs in the epoch that a renewal gave them. */
  renewed: number;
  readonly changes: Record<RunChange['change'], number>;
  /** Events that were dead letters once and can be read now. */
  revived: number;
}

export function openTotals(): ReplayTotals {
  return {
    verdicts: { equal: 0, different: 0, missing: 0, unexpected: 0, pending: 0 },
    partial: 0,
    renewed: 0,
    changes: { earlier: 0, later: 0, never: 0, newly: 0, same: 0 },
    revived: 0,
  };
}

export function addFinding(totals: ReplayTotals, { state, partial, renewed }: Finding): void {
  totals.verdicts[state] += 1;
  if (partial && state !== 'pending') totals.partial += 1;
  if (renewed) totals.renewed += 1;
}

/** Whether there is no verdict at all, on either side. */
export function isEmpty({ verdicts }: ReplayTotals): boolean {
  return Object.values(verdicts).every((count) => count === 0);
}

/** Whether something differs that what was not read cannot explain. */
export function hasDifferences({ verdicts, partial }: ReplayTotals): boolean {
  return verdicts.different + verdicts.missing + verdicts.unexpected > partial;
}
