import type { DatabaseSync, StatementSync } from 'node:sqlite';

interface Waiter {
  readonly lane: number;
  readonly end: number;
  readonly resolve: () => void;
}

/** Who waits for which lane to grow. One query answers all of them. */
export class Tail {
  readonly #ends: StatementSync;
  readonly #waiters = new Set<Waiter>();
  readonly #waiting: (somebody: boolean) => void;

  /** `waiting` is told when the first begins to wait and when the last has stopped. */
  constructor(db: DatabaseSync, waiting: (somebody: boolean) => void) {
    this.#ends = db.prepare('SELECT id, "end" FROM lane');
    this.#waiting = waiting;
  }

  /** Resolves when the lane's end is above the offset, or the signal aborts. */
  async grown(lane: number, { end, signal }: { end: number; signal: AbortSignal }): Promise<void> {
    if (signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiter = { lane, end, resolve };
    this.#waiters.add(waiter);
    this.#waiting(true);
    const stop = (): void => resolve();
    signal.addEventListener('abort', stop, { once: true });
    // What was committed between the last read and now rang no bell for this waiter.
    this.look();
    await promise;
    signal.removeEventListener('abort', stop);
    this.#waiters.delete(waiter);
    if (this.#waiters.size === 0) this.#waiting(false);
  }

  look(): void {
    const ends = new Map(this.#ends.all().map(({ id, end }) => [Number(id), Number(end)]));
    for (const { lane, end, resolve } of this.#waiters) {
      if ((ends.get(lane) ?? 0) > end) resolve();
    }
  }
}
