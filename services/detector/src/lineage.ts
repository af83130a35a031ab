import { ENGINE } from '@loopwarden/detection';
import type { Committed } from '@loopwarden/stream';
import { readCommitMetadata } from './commit-metadata.ts';

/** What decides whether a partition's fold continues a lineage. */
export interface FoldOrigin {
  /** Where a fold without loaded state began. */
  readonly from: number;
  readonly committed: Committed | null;
  readonly controlIsEmpty: boolean;
}

/** Why a new lineage begins, or null: the fold goes on (wire contract, section 11). */
export function newLineageReason({ from, committed, controlIsEmpty }: FoldOrigin): string | null {
  if (from !== 0) return `the fold began at offset ${from}, not at 0`;
  if (committed === null && !controlIsEmpty) return 'verdicts stand that no commit covers';
  const commit = commitOf(committed);
  if (commit.lineage !== 0)
    return `the commit is of lineage ${commit.lineage}, a fold from the start is of lineage 0`;
  if (commit.engine !== ENGINE) return `the commit is of engine ${commit.engine}, this is ${ENGINE}`;
  return null;
}

/** No commit counts as lineage 0 of the detector's own engine. */
export function commitOf(committed: Committed | null): {
  lineage: number;
  highestEpoch: number;
  engine: string;
} {
  const none = { lineage: 0, highestEpoch: 0, engine: ENGINE };
  return committed === null ? none : (readCommitMetadata(committed.metadata) ?? none);
}
