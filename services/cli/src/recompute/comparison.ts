import { type Verdict, verdictId } from '@loopwarden/detection';

/** A verdict on either side of the comparison. */
interface Entry {
  readonly verdict: Verdict;
  /** As the codec writes it today: what is compared, byte for byte. */
  readonly value: Uint8Array;
  /** Offset of the event that it answers; of a renewed verdict, where its lineage begins. */
  readonly offset: number;
}

interface PublishedEntry extends Entry {
  /** Where it stands in the control partition. */
  readonly position: number;
  /** Record timestamp, epoch milliseconds. */
  readonly publishedAt: number;
}

/** What became of one verdict. `pending`: no detector has judged its event yet. */
export type Compared =
  | { readonly state: 'equal' | 'different'; readonly recomputed: Entry; readonly published: PublishedEntry }
  | { readonly state: 'missing' | 'pending'; readonly recomputed: Entry; readonly published: null }
  | { readonly state: 'unexpected'; readonly recomputed: null; readonly published: PublishedEntry };

/**
 * Compares what one partition's events lead to with what was published, side by side and in order. Holds only
 * what is not settled yet: both sides answer events in the order of the log, but detectors that died say their
 * last verdicts again.
 */
export class Comparison {
  readonly #tell: (compared: Compared) => void;
  /** The last offset that is known to be judged. */
  readonly #judged: number;
  readonly #recomputed = new Map<string, Entry>();
  readonly #published = new Map<string, PublishedEntry>();
  /** Settled since the last offset that was settled as a whole. */
  readonly #matched = new Map<string, Entry>();
  #settled = 0;
  #repeated = 0;

  constructor(tell: (compared: Compared) => void, { judged }: { readonly judged: number }) {
    this.#tell = tell;
    this.#judged = judged;
  }

  /** Verdicts that were published again: readers know them by their ids. */
  get repeated(): number {
    return this.#repeated;
  }

  recomputed(entry: Entry): void {
    const id = verdictId(entry.verdict);
    const published = this.#published.get(id);
    if (published === undefined) {
      this.#recomputed.set(id, entry);
    } else {
      this.#published.delete(id);
      this.#match(id, entry, published);
    }
  }

  published(entry: PublishedEntry): void {
    const id = verdictId(entry.verdict);
    const recomputed = this.#recomputed.get(id);
    if (recomputed !== undefined) {
      this.#recomputed.delete(id);
      this.#match(id, recomputed, entry);
    } else if (entry.offset < this.#settled) {
      this.#repeated += 1;
    } else {
      this.#repeat(id, entry);
    }
  }

  /** Both sides have said everything about events below the offset: what has no counterpart has none. */
  settle(until: number): void {
    this.#settled = until;
    this.#matched.clear();
    for (const [id, entry] of this.#recomputed) {
      if (entry.offset >= until) continue;
      this.#recomputed.delete(id);
      const state = entry.offset > this.#judged ? 'pending' : 'missing';
      this.#tell({ state, recomputed: entry, published: null });
    }
    for (const [id, entry] of this.#published) {
      if (entry.offset >= until) continue;
      this.#published.delete(id);
      this.#tell({ state: 'unexpected', recomputed: null, published: entry });
    }
  }

  #match(id: string, recomputed: Entry, published: PublishedEntry): void {
    this.#matched.set(id, recomputed);
    const equal = Buffer.compare(recomputed.value, published.value) === 0;
    this.#tell({ state: equal ? 'equal' : 'different', recomputed, published });
  }

  /** A verdict that has its counterpart already, or waits for one. Said again in other words, it is told. */
  #repeat(id: string, entry: PublishedEntry): void {
    const known = this.#matched.get(id);
    if (known === undefined && !this.#published.has(id)) {
      this.#published.set(id, entry);
      return;
    }
    this.#repeated += 1;
    if (known !== undefined && Buffer.compare(known.value, entry.value) !== 0) {
      this.#tell({ state: 'different', recomputed: known, published: entry });
    }
  }
}
