import { LogError, type LogWriter, type OutRecord } from '@loopwarden/stream';
import type { Clock } from './clock.ts';
import type { DropWhy } from './fact.ts';
import { reasonOf } from './reason-of.ts';

/** What is kept while the log cannot be reached, and what happens beyond. */
export interface BufferBound {
  readonly records: number;
  readonly bytes: number;
  /** `drop-oldest`: the oldest events make room. `refuse`: calls whose event finds no room are refused. */
  readonly onFull: 'drop-oldest' | 'refuse';
}

/** A record on its way to the log. */
interface Letter {
  readonly record: OutRecord;
  readonly bytes: number;
}

/** One of `sent` and `lost` is called for each letter, once, unless it is under way when all is closed. */
interface OutboxOptions<L extends Letter> {
  readonly writer: LogWriter;
  readonly bound: BufferBound;
  readonly clock: Clock;
  sent(letter: L, offset: number): void;
  lost(letter: L, why: DropWhy): void;
  /** The log did not take records now (a sentence), or takes them again (null). */
  trouble(detail: string | null): void;
}

const BATCH = 500;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;
/** An append that takes so long, above what drivers allow one, is told; it is waited for all the same: it may have happened. */
const STALLED_MS = 60_000;

/** Sends records in order, one append at a time, and keeps what cannot be sent up to a bound. */
export class Outbox<L extends Letter> {
  readonly #options: OutboxOptions<L>;
  #waiting: L[] = [];
  #sending: readonly L[] = [];
  #bytes = 0;
  #running = false;
  #closed = false;
  #troubled = false;
  #pauseMs = FIRST_PAUSE_MS;
  #wake: () => void = () => {};
  #callOffStalled: () => void = () => {};
  #idle: Promise<void> = Promise.resolve();

  constructor(options: OutboxOptions<L>) {
    this.#options = options;
  }

  get held(): { readonly records: number; readonly bytes: number } {
    return { records: this.#waiting.length + this.#sending.length, bytes: this.#bytes };
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Whether one more record of that size would have to push another out, or be refused. */
  isFull(bytes = 0): boolean {
    const { bound } = this.#options;
    const records = this.#waiting.length + this.#sending.length;
    return records >= bound.records || this.#bytes + bytes > bound.bytes;
  }

  /** Takes a letter in; false: there was no room, and it is lost. */
  put(letter: L): boolean {
    if (this.#closed) return this.#refuse(letter, 'closed');
    if (this.#options.bound.onFull === 'drop-oldest') this.#makeRoom(letter.bytes);
    if (this.isFull(letter.bytes)) return this.#refuse(letter, 'buffer');
    this.#waiting.push(letter);
    this.#bytes += letter.bytes;
    if (!this.#running) {
      this.#running = true;
      this.#idle = this.#sendAll();
    }
    return true;
  }

  /** Resolves when nothing is held, or `over` does; then what is left is lost. */
  async close(over: Promise<void>): Promise<void> {
    await Promise.race([this.#idle, over]);
    this.#closed = true;
    this.#wake();
    this.#callOffStalled();
    this.#loseAll();
  }

  /** What is under way to the log is no longer ours to drop. */
  #makeRoom(bytes: number): void {
    while (this.isFull(bytes)) {
      const oldest = this.#waiting.shift();
      if (oldest === undefined) return;
      this.#lose(oldest, 'buffer');
    }
  }

  #lose(letter: L, why: DropWhy): void {
    this.#bytes -= letter.bytes;
    this.#options.lost(letter, why);
  }

  async #sendAll(): Promise<void> {
    await null; // what is put in one turn leaves in one append
    let most = BATCH;
    while (this.#waiting.length > 0 && !this.#closed) {
      this.#sending = this.#waiting.splice(0, most);
      const failure = await this.#send(this.#sending);
      const batch = this.#sending;
      this.#sending = [];
      most = failure === null ? BATCH : await this.#recover(batch, failure);
    }
    this.#running = false;
    if (this.#closed) this.#loseAll();
  }

  #loseAll(): void {
    for (const letter of this.#waiting.splice(0)) this.#lose(letter, 'closed');
  }

  async #send(batch: readonly L[]): Promise<unknown> {
    const { clock } = this.#options;
    this.#callOffStalled = clock.later(STALLED_MS, () =>
      this.#inTrouble(`The log has not answered for ${STALLED_MS / 1_000} s.`),
    );
    try {
      const positions = await this.#options.writer.append(batch.map(({ record }) => record));
      this.#reached();
      batch.forEach((letter, at) => {
        this.#bytes -= letter.bytes;
        this.#options.sent(letter, positions[at]?.offset ?? -1);
      });
      return null;
    } catch (error) {
      return error ?? new Error('The append failed and did not say why.');
    } finally {
      this.#callOffStalled();
    }
  }

  /** Puts a failed batch back, or gives up what can never be sent. Returns how many to try at once. */
  async #recover(batch: readonly L[], failure: unknown): Promise<number> {
    const code = failure instanceof LogError ? failure.code : null;
    if (code === 'refused' && batch.length === 1) {
      for (const letter of batch) this.#lose(letter, 'refused');
      return BATCH;
    }
    this.#waiting = [...batch, ...this.#waiting];
    if (code === 'refused') return 1; // one of them spoils it for all: nothing happened, so go one by one
    this.#inTrouble(reasonOf(failure));
    await this.#pause();
    return BATCH;
  }

  #inTrouble(detail: string): void {
    this.#troubled = true;
    this.#options.trouble(detail);
  }

  #reached(): void {
    this.#pauseMs = FIRST_PAUSE_MS;
    if (!this.#troubled) return;
    this.#troubled = false;
    this.#options.trouble(null);
  }

  async #pause(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const callOff = this.#options.clock.later(this.#pauseMs, resolve);
    this.#wake = resolve;
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
    if (this.#closed) resolve();
    await promise;
    callOff();
  }

  #refuse(letter: L, why: DropWhy): false {
    this.#options.lost(letter, why);
    return false;
  }
}
