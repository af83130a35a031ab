import { type Committed, LogError, type LogReader, type PartitionRange, type ReadOptions } from '../log.ts';
import type { Batch } from '../record.ts';
import { refuseUnknown } from '../record-bytes.ts';
import { type RecordSource, readBatches } from '../record-source.ts';
import { Brokers } from './brokers.ts';
import type { Connection } from './connection.ts';
import type { Feed } from './feed.ts';
import { Fetcher } from './fetcher.ts';
import type { Health } from './health.ts';
import { committedOf, offsetSince, offsetsSince, rangeOf, rangesOf } from './offsets.ts';

/** Reads partitions directly from their leaders: no group is joined for it. */
export class KafkaReader implements LogReader {
  readonly #bounded: Way;
  /** Followers wait for records in long polls, which must not hold up reads that have an end. */
  readonly #following: Way;
  readonly #closing = new AbortController();

  constructor(connection: Connection, health: Health) {
    this.#bounded = new Way(connection, health);
    this.#following = new Way(connection, health);
  }

  async *read(options: ReadOptions): AsyncGenerator<Batch> {
    this.#refuseClosed();
    const closing = this.#closing.signal;
    const signal = options.signal === undefined ? closing : AbortSignal.any([closing, options.signal]);
    try {
      yield* this.#read({ ...options, signal });
    } catch (error) {
      // What is closed under a read ends it.
      if (!signal.aborted) throw error;
    }
  }

  async *#read(options: ReadOptions & { readonly signal: AbortSignal }): AsyncGenerator<Batch> {
    const { topic, partition, signal } = options;
    const { brokers, fetcher } = options.until === 'never' ? this.#following : this.#bounded;
    refuseUnknown(topic, partition, await brokers.partitions(topic));
    const feed = fetcher.open(topic, partition);
    const close = (): void => fetcher.release(feed);
    signal.addEventListener('abort', close, { once: true });
    try {
      if (!signal.aborted) yield* readBatches(sourceOf(feed, this.#bounded.brokers), options);
    } finally {
      signal.removeEventListener('abort', close);
      close();
    }
  }

  async ranges(topic: string): Promise<readonly PartitionRange[]> {
    const { brokers } = this.#bounded;
    const partitions = await this.#partitions(topic);
    return rangesOf(brokers, { topic, partitions });
  }

  async offsetsAt(topic: string, timestamp: number): Promise<ReadonlyMap<number, number>> {
    const { brokers } = this.#bounded;
    const partitions = await this.#partitions(topic);
    return offsetsSince(brokers, { topic, partitions, timestamp });
  }

  async committed(group: string, topic: string): Promise<ReadonlyMap<number, Committed>> {
    const partitions = await this.#partitions(topic);
    return committedOf(this.#bounded.brokers, { group, topic, partitions });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([this.#bounded.close(), this.#following.close()]);
  }

  #refuseClosed(): void {
    if (this.#closing.signal.aborted) throw new LogError('closed', 'The log is closed. Open it again.');
  }

  async #partitions(topic: string): Promise<number[]> {
    this.#refuseClosed();
    const count = await this.#bounded.brokers.partitions(topic);
    return Array.from({ length: count }, (_, partition) => partition);
  }
}

/** One set of connections and what is fetched through it. */
class Way {
  readonly brokers: Brokers;
  readonly fetcher: Fetcher;

  constructor(connection: Connection, health: Health) {
    this.brokers = new Brokers(connection);
    this.fetcher = new Fetcher(this.brokers, connection, health);
  }

  async close(): Promise<void> {
    this.fetcher.close();
    await this.brokers.close();
  }
}

function sourceOf(feed: Feed, brokers: Brokers): RecordSource {
  return {
    range: (topic, partition) => rangeOf(brokers, topic, partition),
    offsetAt: (topic, partition, timestamp) => offsetSince(brokers, { topic, partition, timestamp }),
    slice: (_topic, _partition, from) => feed.slice(from),
    grown: (_topic, _partition, from) => feed.grown(from),
  };
}
