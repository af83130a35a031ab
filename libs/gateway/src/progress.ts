import type { Mark } from '@loopwarden/detection';
import type { Clock } from './clock.ts';

interface Line {
  lineage: number;
  /** The last offset of events known to be judged in this lineage; −1: none. */
  judged: number;
  /** When a detector was last heard, or this gateway began to listen. */
  heardAt: number;
  stale: boolean;
  changed: PromiseWithResolvers<void>;
}

/** How long a partition may be silent before its verdicts are stale (wire contract, section 9). */
const STALE_MS = 60_000;

/** How far the detectors are, partition by partition, and whether they live. */
export class Progress {
  readonly #lines: readonly Line[];
  readonly #clock: Clock;

  constructor(partitions: number, clock: Clock) {
    this.#clock = clock;
    this.#lines = Array.from({ length: partitions }, () => ({
      lineage: 0,
      judged: -1,
      heardAt: clock.now(),
      stale: false,
      changed: Promise.withResolvers<void>(),
    }));
  }

  /** A verdict or a mark with progress of a lineage: the first of a higher one voids the marks seen. */
  enter(partition: number, lineage: number): void {
    const line = this.#line(partition);
    if (lineage <= line.lineage) return;
    line.lineage = lineage;
    line.judged = -1;
  }

  /** A mark that is no zombie's. One without progress is a sign of life and nothing else. */
  hear({ partition, offset }: Mark, lineage: number): void {
    const line = this.#line(partition);
    line.heardAt = this.#clock.now();
    if (offset < 0) return;
    this.enter(partition, lineage);
    line.judged = Math.max(line.judged, offset);
    this.poke(partition);
  }

  /** Whether everything up to the offset is judged. */
  hasJudged(partition: number, offset: number): boolean {
    return this.#line(partition).judged >= offset;
  }

  /** Milliseconds since a detector was heard. A clock that is set back begins to count anew. */
  silentMs(partition: number): number {
    const line = this.#line(partition);
    const now = this.#clock.now();
    line.heardAt = Math.min(line.heardAt, now);
    return now - line.heardAt;
  }

  isStale(partition: number): boolean {
    return this.silentMs(partition) >= STALE_MS;
  }

  /** The partitions that are stale now. */
  stale(): readonly number[] {
    return [...this.#lines.keys()].filter((partition) => this.isStale(partition));
  }

  /** Partitions that went stale, or are no longer, since this was last asked. */
  turned(): readonly number[] {
    return [...this.#lines.keys()].filter((partition) => {
      const line = this.#line(partition);
      const stale = this.isStale(partition);
      if (stale === line.stale) return false;
      line.stale = stale;
      return true;
    });
  }

  /** Resolves when something that a waiting decision looks at has changed. */
  changed(partition: number): Promise<void> {
    return this.#line(partition).changed.promise;
  }

  poke(partition: number): void {
    const line = this.#line(partition);
    line.changed.resolve();
    line.changed = Promise.withResolvers();
  }

  pokeAll(): void {
    for (const partition of this.#lines.keys()) this.poke(partition);
  }

  #line(partition: number): Line {
    const line = this.#lines[partition];
    if (line === undefined) throw new RangeError(`There is no partition ${partition}.`);
    return line;
  }
}
