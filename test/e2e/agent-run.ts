/** What an agent does next: a call and what it brings back, or a compaction of its context. */
export type Deed =
  | {
      readonly kind: 'call';
      readonly tool: string;
      readonly args: unknown;
      readonly result?: unknown;
      readonly error?: string;
    }
  | { readonly kind: 'compaction' };

/** One run of the fleet, as it is handed to the gateways that serve it. */
export interface RunPlan {
  readonly runId: string;
  readonly way: string;
  /** Deeds before the way begins: other work, that nothing must be made of. */
  readonly prelude: number;
  /** After so many attempts to call, counted from the run's beginning, it goes on at the next gateway. */
  readonly moves: readonly number[];
  /** Which gateway begins. */
  readonly first: number;
}

/** How far a run is. Travels with it from gateway to gateway. */
export interface RunProgress {
  /** Deeds done. */
  readonly deeds: number;
  /** Calls that ran. */
  readonly calls: number;
  /** Numbers, from 1, of the calls that a warning went to the model with. */
  readonly warnedAt: readonly number[];
  /** Number of the call that was refused first; null: none. */
  readonly refusedAt: number | null;
  /** How often a call was refused. */
  readonly refusals: number;
}

export const BEGINNING: RunProgress = { deeds: 0, calls: 0, warnedAt: [], refusedAt: null, refusals: 0 };

/** How a run went. */
export interface RunEnding extends RunProgress {
  readonly plan: RunPlan;
  readonly end: 'completed' | 'failed' | 'aborted';
  /** Whether the run's signal said so, too. */
  readonly signalled: boolean;
}
