import type { DespiteWhy } from '@loopwarden/detection';

/** What one gateway made of verdicts, as the log alone tells. */
export interface GatewayAccount {
  readonly gatewayId: string;
  readonly runs: Set<string>;
  calls: number;
  /** Warnings that went to a model with a call. */
  warnings: number;
  /** Calls refused by a verdict. */
  vetoes: number;
  /** Calls refused without one: strict mode or a full buffer. */
  refusals: number;
  /** Runs that ended by an abort. */
  aborts: number;
  /**
   * From each verdict's record to the record of the first call refused or the run ended by it, in milliseconds: when
   * the agent tried again, its own thinking included. Later calls that it refuses say nothing more.
   */
  readonly enforcedAfterMs: number[];
  /** Calls that ran before the gateway knew the verdict that refuses them. */
  late: number;
  /** Of those: from the record of the call to that of the verdict; 0 where the verdict was there first. */
  readonly lateByMs: number[];
  /** Calls that ran although the gateway knew the verdict, and that do not say why. */
  disobeyed: number;
  /** Calls that say why they ran in spite of a verdict. */
  readonly despite: Partial<Record<DespiteWhy, number>>;
  /** Events that are missing in its numbers. */
  lost: number;
  /** Record timestamp of its newest event, epoch milliseconds. */
  lastAt: number;
}

export function newAccount(gatewayId: string): GatewayAccount {
  return {
    gatewayId,
    runs: new Set(),
    calls: 0,
    warnings: 0,
    vetoes: 0,
    refusals: 0,
    aborts: 0,
    enforcedAfterMs: [],
    late: 0,
    lateByMs: [],
    disobeyed: 0,
    despite: {},
    lost: 0,
    lastAt: 0,
  };
}

/** The least of some durations that a share of them, such as 0.99, does not exceed; null where there are none. */
export function percentile(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
}
