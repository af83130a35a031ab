import type { Verdict } from '@loopwarden/detection';
import type { Compared } from './comparison.ts';
import type { RunChange } from './policy-change.ts';

/** A verdict of both sides, or of one, with what is known of its run. */
export type Finding = Compared & {
  readonly partition: number;
  /** The run may have begun before what was read: what it was judged by is not all known. */
  readonly partial: boolean;
  /** The run was renewed: its epoch is the number of a lineage. */
  readonly renewed: boolean;
};

/** An event that no detector could read then, and that can be read now. */
export interface Revived {
  readonly partition: number;
  readonly offset: number;
  /** Why it could not be read. */
  readonly code: string;
  readonly runId: string;
  readonly eventType: string;
}

/** Hears what a replay of the log finds, as it finds it. */
export interface ReplayListener {
  readonly found: (finding: Finding) => void;
  /** A verdict of the second policy. */
  readonly other: (verdict: Verdict, place: { readonly partition: number; readonly offset: number }) => void;
  readonly changed: (change: RunChange) => void;
  readonly revived: (revived: Revived) => void;
}
