import type { Verdict } from '@loopwarden/detection';

/** The first verdict that would refuse calls of a run. */
export interface FirstRefusal {
  readonly verdict: Verdict;
  /** Of the event that it answers, in the run's partition. */
  readonly offset: number;
}

/** What another policy would have changed for one run. `never`: it was blocked and would not have been. */
export interface RunChange {
  readonly runId: string;
  readonly change: 'earlier' | 'later' | 'never' | 'newly' | 'same';
  /** Under the policies of then; null: none. */
  readonly recorded: FirstRefusal | null;
  /** Under the other policy; null: none. */
  readonly other: FirstRefusal | null;
  /** Calls that were refused then: what would have followed them is not recorded. */
  readonly refused: number;
}

interface Undecided {
  recorded: FirstRefusal | null;
  other: FirstRefusal | null;
  refused: number;
}

/** Runs that are compared at a time; beyond it the one blocked first is told as it is. */
const RUNS_HELD = 100_000;

/** Which runs of one partition would have been blocked at another time under another policy. */
export class PolicyChange {
  readonly #runs = new Map<string, Undecided>();
  readonly #tell: (change: RunChange) => void;
  /** Refusals before it are no news: they only keep later ones from counting as first. */
  readonly #first: number;

  constructor(tell: (change: RunChange) => void, { first }: { readonly first: number }) {
    this.#tell = tell;
    this.#first = first;
  }

  /** Takes in what one event led to under one of the two policies. */
  take(under: 'recorded' | 'other', verdicts: readonly Verdict[], offset: number): void {
    for (const verdict of verdicts) {
      const { action, shadow, runId } = verdict;
      if (shadow || (action !== 'block' && action !== 'abort')) continue;
      const run = this.#runs.get(runId) ?? { recorded: null, other: null, refused: 0 };
      run[under] ??= { verdict, offset };
      this.#runs.set(runId, run);
    }
    if (this.#runs.size > RUNS_HELD) this.#decideOldest();
  }

  /** A call of the run was refused. */
  refused(runId: string): void {
    const run = this.#runs.get(runId);
    if (run !== undefined) run.refused += 1;
  }

  finish(): void {
    for (const [runId, run] of this.#runs) this.#decide(runId, run);
    this.#runs.clear();
  }

  #decideOldest(): void {
    const [oldest] = this.#runs;
    if (oldest === undefined) return;
    this.#runs.delete(oldest[0]);
    this.#decide(...oldest);
  }

  #decide(runId: string, { recorded, other, refused }: Undecided): void {
    const offsets = [recorded, other].flatMap((refusal) => (refusal === null ? [] : [refusal.offset]));
    if (offsets.every((offset) => offset < this.#first)) return;
    this.#tell({ runId, change: changeOf(recorded, other), recorded, other, refused });
  }
}

function changeOf(recorded: FirstRefusal | null, other: FirstRefusal | null): RunChange['change'] {
  if (recorded === null) return 'newly';
  if (other === null) return 'never';
  if (other.offset === recorded.offset) return 'same';
  return other.offset < recorded.offset ? 'earlier' : 'later';
}
