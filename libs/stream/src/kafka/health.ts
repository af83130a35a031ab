import type { LogHealth } from '../log.ts';
import type { Connection } from './connection.ts';

/** How far a partition's owner has come. */
interface Progress {
  readonly name: string;
  /** Offset of the next record to process. */
  readonly position: number;
  /** The log's end as last heard. */
  readonly end: () => number;
}

/**
 * What is wrong now. A process that is up can still be of no use, so health is: partitions advance while they
 * lag, and nobody has been waiting for the cluster for long.
 */
export class Health {
  readonly #stallMs: number;
  readonly #say: Connection['say'];
  readonly #troubles = new Map<object, { sentence: string; since: number }>();
  readonly #progress = new Map<object, Progress & { readonly movedAt: number }>();

  constructor(stallMs: number, say: Connection['say']) {
    this.#stallMs = stallMs;
    this.#say = say;
  }

  /** A part of the driver waits for something. It is unhealthy when that lasts, or at once when it cannot mend itself. */
  report(part: object, sentence: string, forGood = false): void {
    const before = this.#troubles.get(part);
    if (before === undefined) this.#say(forGood ? 'error' : 'warn', sentence);
    const now = performance.now();
    const since = forGood ? Number.NEGATIVE_INFINITY : (before?.since ?? now);
    this.#troubles.set(part, { sentence, since });
  }

  /** The part works again. */
  clear(part: object): void {
    if (this.#troubles.delete(part)) this.#say('info', 'The cluster answers again.');
  }

  /** The owner of a partition begins with its next records, or found none. */
  moved(owner: object, progress: Progress): void {
    this.#progress.set(owner, { ...progress, movedAt: performance.now() });
  }

  forget(owner: object): void {
    this.#progress.delete(owner);
    this.#troubles.delete(owner);
  }

  now(): LogHealth {
    const before = performance.now() - this.#stallMs;
    for (const { sentence, since } of this.#troubles.values()) {
      if (since < before) return { ok: false, detail: sentence };
    }
    for (const { name, position, end, movedAt } of this.#progress.values()) {
      const lag = end() - position;
      if (lag > 0 && movedAt < before) {
        const seconds = Math.round((performance.now() - movedAt) / 1000);
        const detail = `${name} has not advanced for ${seconds} s and is ${lag} records behind.`;
        return { ok: false, detail };
      }
    }
    return { ok: true, detail: 'The cluster answers.' };
  }
}
