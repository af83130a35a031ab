import type { Partition } from '@loopwarden/detection';

/** One owned events partition: its fold, and how far it has come. */
export interface Task {
  readonly partition: number;
  /** Aborts when the partition is lost: nothing more may be published for it. */
  readonly signal: AbortSignal;
  /** Everything published carries it. */
  readonly lineage: number;
  readonly fold: Partition;
  /** Last offset whose verdicts are acknowledged; −1: nothing judged yet. */
  judged: number;
  /** The log's end (offset of the next record) as last known. */
  end: number;
}
