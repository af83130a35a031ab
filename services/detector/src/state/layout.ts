import { restorePartition, SAVED_FORMAT, saveRuns } from '@loopwarden/detection';

/**
 * How the runs of a saved partition are laid out. A version writes one format and reads it; one that changes the
 * layout takes the next number, and reads the one before too, so that a fleet is upgraded without anybody noticing.
 */
export interface StateLayout {
  /** What is written. */
  readonly format: number;
  readonly saveRuns: typeof saveRuns;
  /** By format. */
  readonly readers: ReadonlyMap<number, typeof restorePartition>;
}

/** This version's. */
export const STATE_LAYOUT: StateLayout = {
  format: SAVED_FORMAT,
  saveRuns,
  readers: new Map([[SAVED_FORMAT, restorePartition]]),
};
