import { ENGINE } from '@loopwarden/detection';
import type { Committed } from '@loopwarden/stream';
import { readCommitMetadata } from './commit-metadata.ts';

/** What decides whether a partition's fold continues a lineage. */
interface FoldOrigin {
  /** Where a fold without loaded state began; null: state was loaded. */
  readonly from: number | null;
  /** Of loaded state; a fold without it has lineage 0 and the detector's own engine. */
  readonly state: { readonly lineage: number; readonly engine: string };
  readonly committed: Committed | null;
  /** The end of the events partition. */
  readonly end: number;
  readonly controlIsEmpty: boolean;
}

/** Why a new lineage begins, or null: the fold goes on (wire contract, section 11). */
export function newLineageReason({ from, state, committed, end, controlIsEmpty }: FoldOrigin): string | null {
  if (from !== null && from !== 0) return `the fold began at offset ${from}, not at 0`;
  if (committed !== null && committed.offset > end) {
    return `the log ends at ${end}, before the committed offset ${committed.offset}`;
  }
  if (committed === null && !controlIsEmpty) return 'verdicts stand that no commit covers';
  const commit = commitOf(committed);
  if (state.lineage !== commit.lineage) {
    return `the state is of lineage ${state.lineage}, the commit of ${commit.lineage}`;
  }
  if (state.engine !== commit.engine) {
    return `the state is of engine ${state.engine}, the commit of ${commit.engine}`;
  }
  if (commit.engine !== ENGINE)
    return `the commit is of engine ${commit.engine}, this detector is of ${ENGINE}`;
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
