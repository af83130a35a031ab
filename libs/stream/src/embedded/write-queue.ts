import type { DatabaseSync } from 'node:sqlite';
import { LogError } from '../log.ts';
import { patiently, transact } from './database.ts';
import { logError } from './sqlite-error.ts';

/** How much one transaction does at most: it blocks the event loop while it lasts. */
const maxWeight = 1000;

/** Something to do in a transaction. It throws a `LogError` before it wrote anything, or not at all. */
interface Job {
  readonly weight: number;
  readonly work: () => unknown;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

type Outcome = { readonly value: unknown } | { readonly error: LogError };

interface WriteQueueEvents {
  /** Something was committed. */
  committed(): void;
  /** A transaction failed, and nothing of it happened. */
  failed(error: unknown): void;
}

/**
 * The one door to the database for writes: jobs in the order they came, as many as are waiting in one
 * transaction, one transaction at a time. A job is answered when its transaction is on disk.
 */
export class WriteQueue {
  readonly #db: DatabaseSync;
  readonly #file: string;
  readonly #events: WriteQueueEvents;
  #jobs: Job[] = [];
  #draining: Promise<void> | undefined;

  constructor({ db, file }: { db: DatabaseSync; file: string }, events: WriteQueueEvents) {
    this.#db = db;
    this.#file = file;
    this.#events = events;
  }

  /** `weight`: how many records are written, more or less. */
  submit<T>(weight: number, work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#jobs.push({ weight, work, resolve, reject });
      this.#draining ??= this.#drain();
    });
  }

  /** Resolves when everything submitted so far was answered. */
  async idle(): Promise<void> {
    await this.#draining;
  }

  async #drain(): Promise<void> {
    while (this.#jobs.length > 0) {
      // What else arrives in this turn of the event loop goes into the same transaction.
      await new Promise((resolve) => setImmediate(resolve));
      await this.#commit(this.#next());
    }
    this.#draining = undefined;
  }

  #next(): readonly Job[] {
    let weight = 0;
    const many = this.#jobs.findIndex((job) => {
      weight += job.weight;
      return weight > maxWeight;
    });
    return this.#jobs.splice(0, many < 0 ? this.#jobs.length : Math.max(1, many));
  }

  async #commit(jobs: readonly Job[]): Promise<void> {
    let outcomes: readonly Outcome[];
    try {
      outcomes = await patiently(() => transact(this.#db, () => jobs.map(perform)));
    } catch (cause) {
      const error = logError(cause, this.#file);
      this.#events.failed(error);
      for (const job of jobs) job.reject(error);
      return;
    }
    this.#events.committed();
    jobs.forEach((job, at) => {
      const outcome = outcomes[at];
      if (outcome !== undefined && 'value' in outcome) job.resolve(outcome.value as never);
      else job.reject(outcome?.error);
    });
  }
}

function perform({ work }: Job): Outcome {
  try {
    return { value: work() };
  } catch (error) {
    if (error instanceof LogError) return { error };
    throw error;
  }
}
