import { type Action, matchKey, type Verdict } from '@loopwarden/detection';

/** A verdict that says something new, and the loop that it is about. */
export interface Rise {
  readonly verdict: Verdict;
  readonly loop: string;
  readonly action: Exclude<Action, 'release'>;
}

/**
 * Which verdicts say something new. Recorded calls go on after a block, so the detector says the same again
 * with a higher count; a loop is listed once for each step up: each level of its warning, then the block.
 */
export class Incidents {
  /** Highest rank listed, by loop. */
  readonly #ranks = new Map<string, number>();
  /** The loop that a match belongs to: both sides of a ping-pong are one. */
  readonly #loops = new Map<string, string>();
  readonly #standing = new Set<string>();

  /**
   * Takes in the verdicts of one event and returns those to list.
   * @param newest signature of the run's newest call: the other side of a ping-pong
   */
  take(verdicts: readonly Verdict[], newest: string | null): readonly Rise[] {
    return verdicts.flatMap((verdict) => {
      const match = matchKey(verdict.match);
      if (verdict.action === 'release') {
        this.#standing.delete(match);
        return [];
      }
      this.#standing.add(match);
      const loop = this.#loopOf(verdict, { match, newest });
      return this.#rises(loop, rankOf(verdict)) ? [{ verdict, loop, action: verdict.action }] : [];
    });
  }

  /** Forgets the loops of which nothing stands any more: what comes next is a new one. */
  settle(): void {
    const alive = new Set([...this.#standing].map((match) => this.#loops.get(match)));
    for (const loop of this.#ranks.keys()) if (!alive.has(loop)) this.#ranks.delete(loop);
    for (const [match, loop] of this.#loops) if (!this.#ranks.has(loop)) this.#loops.delete(match);
  }

  #loopOf({ detector }: Verdict, { match, newest }: { match: string; newest: string | null }): string {
    const other = detector === 'ping_pong' ? newest : null;
    const known = this.#loops.get(match) ?? (other === null ? undefined : this.#loops.get(other));
    const loop = known ?? match;
    this.#loops.set(match, loop);
    if (other !== null) this.#loops.set(other, loop);
    return loop;
  }

  #rises(loop: string, rank: number): boolean {
    if (rank <= (this.#ranks.get(loop) ?? 0)) return false;
    this.#ranks.set(loop, rank);
    return true;
  }
}

function rankOf({ action, level }: Verdict): number {
  if (action === 'warn') return level;
  return action === 'block' ? Number.MAX_SAFE_INTEGER - 1 : Number.MAX_SAFE_INTEGER;
}
