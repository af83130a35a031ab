import type { RunReport, VerdictCounts } from './report.ts';

/** Sums over all runs of a replay. */
export interface RunTotals {
  runs: number;
  /** Runs with at least one verdict. */
  looping: number;
  calls: number;
  readonly verdicts: VerdictCounts;
  /** `untimed`: those of the calls whose time is not known, and not in the sum. */
  readonly saved: { calls: number; ms: number; untimed: number };
}

export function openTotals(): RunTotals {
  return {
    runs: 0,
    looping: 0,
    calls: 0,
    verdicts: { warn: 0, block: 0, abort: 0 },
    saved: { calls: 0, ms: 0, untimed: 0 },
  };
}

export function addRun(totals: RunTotals, run: RunReport): void {
  totals.runs += 1;
  totals.looping += run.firstVerdictAtCall === null ? 0 : 1;
  totals.calls += run.calls;
  totals.verdicts.warn += run.verdicts.warn;
  totals.verdicts.block += run.verdicts.block;
  totals.verdicts.abort += run.verdicts.abort;
  totals.saved.calls += run.saved.calls;
  totals.saved.ms += run.saved.ms ?? 0;
  totals.saved.untimed += run.saved.ms === null ? run.saved.calls : 0;
}
