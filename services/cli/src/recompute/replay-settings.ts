import type { Policy } from '@loopwarden/detection';
import type { OperatorKeys } from '@loopwarden/wire';
import type { Revision } from '../policy/revisions.ts';
import type { Span } from './survey.ts';

/** What all partitions of a replay share. */
export interface ReplaySettings {
  /** Events from this time on are looked at, epoch milliseconds; 0: all. */
  readonly since: number;
  /** Only verdicts of this run, of this agent; null: of all. */
  readonly runId: string | null;
  readonly agentId: string | null;
  /** The second policy; null: none. */
  readonly other: Policy | null;
  readonly revisions: readonly Revision[];
  /** Null: operators' records need no signature. */
  readonly keys: OperatorKeys | null;
  /** Runs kept in memory per partition, as in the detector. */
  readonly maxRuns: number;
}

export interface PartitionSpan extends Span {
  /** First offset that the log still has. */
  readonly start: number;
}
