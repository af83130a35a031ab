import { type Committed, type GroupHandlers, LogError } from './log.ts';
import type { RecordSource } from './record-source.ts';

interface Ownership {
  readonly topic: string;
  readonly partition: number;
  readonly batchSize: number;
  readonly source: RecordSource;
  readonly handlers: GroupHandlers;
  /** What must have ended before the first assignment: an earlier life of the partition in this process. */
  readonly after?: Promise<void> | undefined;
  /** What the group has committed of the partition. */
  committed(): Promise<Committed | null>;
  /** Waits before the partition is assigned anew; `failures` in a row, 1 for the first. Ends early on abort. */
  pause(failures: number, signal: AbortSignal): Promise<void>;
}

/**
 * One partition in the hands of one member, from the first assignment until it is released or dropped:
 * assigned, batches one after the other, lost; and assigned anew when a handler rejected.
 */
export class OwnedPartition {
  /** Resolves when the last handler has returned and the partition was reported lost. */
  readonly done: Promise<void>;
  readonly #of: Ownership;
  /** Aborts when the partition is wanted back. */
  readonly #leaving = new AbortController();
  #failures = 0;
  #lose: () => void = () => undefined;
  #restoring = false;

  constructor(ownership: Ownership) {
    this.#of = ownership;
    this.done = this.#run();
  }

  /** Gives the partition back after the batch in flight; a restore is interrupted. */
  release(): Promise<void> {
    this.#leaving.abort();
    if (this.#restoring) this.#lose();
    return this.done;
  }

  /** Another member owns the partition already: lost at once, whatever is in flight. */
  drop(): Promise<void> {
    this.#leaving.abort();
    this.#lose();
    return this.done;
  }

  async #run(): Promise<void> {
    await this.#of.after;
    while (!this.#leaving.signal.aborted) {
      const failed = await this.#live();
      if (failed) await this.#of.pause(++this.#failures, this.#leaving.signal);
    }
  }

  /** One life of the partition, `assigned` to `lost`. Resolves with whether a handler or the log failed. */
  async #live(): Promise<boolean> {
    const life = new AbortController();
    try {
      const committed = await this.#of.committed();
      if (this.#leaving.signal.aborted) return false;
      this.#lose = () => {
        if (life.signal.aborted) return;
        life.abort();
        this.#of.handlers.lost({ topic: this.#of.topic, partition: this.#of.partition });
      };
      await this.#deliver(await this.#restore(committed, life.signal));
      return false;
    } catch (error) {
      if (!life.signal.aborted) this.#of.handlers.failed(this.#explain(error));
      return true;
    } finally {
      this.#lose();
      this.#lose = () => undefined;
    }
  }

  async #restore(committed: Committed | null, signal: AbortSignal): Promise<number> {
    const { topic, partition, handlers } = this.#of;
    this.#restoring = true;
    try {
      return await handlers.assigned({ topic, partition, committed, signal });
    } finally {
      this.#restoring = false;
    }
  }

  async #deliver(begin: number): Promise<void> {
    const { topic, partition, source, handlers, batchSize: limit } = this.#of;
    const signal = this.#leaving.signal;
    let offset = begin;
    while (!signal.aborted) {
      const { records, end } = await source.slice(topic, partition, { offset, limit });
      if (signal.aborted) return;
      const last = records.at(-1);
      if (last === undefined) {
        await source.grown(topic, partition, { end: Math.max(end, offset), signal });
      } else {
        await handlers.batch({ topic, partition, records, end });
        offset = last.offset + 1;
        this.#failures = 0;
      }
    }
  }

  #explain(error: unknown): LogError {
    if (error instanceof LogError) return error;
    const { topic, partition } = this.#of;
    const reason = error instanceof Error ? error.message : String(error);
    return new LogError(
      'handler',
      `Partition ${partition} of ${topic} is restored after an error: ${reason}`,
      {
        cause: error,
      },
    );
  }
}
