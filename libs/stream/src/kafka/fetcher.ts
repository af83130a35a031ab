import { LogError } from '../log.ts';
import type { Brokers } from './brokers.ts';
import type { Connection } from './connection.ts';
import { failedPartition, failureType, isUnreadable, toLogError } from './failure.ts';
import { Feed } from './feed.ts';
import { fetchFrom } from './fetch-protocol.ts';
import type { Health } from './health.ts';
import { rangeOf } from './offsets.ts';

const PARTITION_BYTES = 524_288;
/** All partitions of one answer: decoding it holds everything else up, some 2 ms a MiB. */
const ANSWER_BYTES = 4_194_304;
/** How long a fetch may wait while another partition is about to be asked for. */
const SHORT_WAIT_MS = 10;

/**
 * Fetches for any number of partitions, one request at a time per broker. Partitions that are full, or not
 * placed yet, are left out; the others' long poll answers as soon as there is a record.
 */
export class Fetcher {
  readonly #brokers: Brokers;
  readonly #connection: Connection;
  readonly #health: Health;
  readonly #feeds = new Set<Feed>();
  /** The brokers that are being asked. */
  readonly #loops = new Set<number>();
  #failures = 0;
  #closed = false;

  constructor(brokers: Brokers, connection: Connection, health: Health) {
    this.#brokers = brokers;
    this.#connection = connection;
    this.#health = health;
  }

  /** A feed of a partition whose topic `brokers` has looked up. */
  open(topic: string, partition: number): Feed {
    const feed = new Feed(topic, partition, () => this.#schedule());
    this.#feeds.add(feed);
    return feed;
  }

  release(feed: Feed): void {
    feed.close();
    this.#feeds.delete(feed);
  }

  close(): void {
    this.#closed = true;
    for (const feed of this.#feeds) this.release(feed);
    this.#health.clear(this);
  }

  /** Sees to it that every broker that leads a wanted partition is being asked. */
  #schedule(): void {
    if (this.#closed) return;
    for (const feed of this.#feeds) {
      if (feed.wanted === null) continue;
      const leader = this.#brokers.leaderOf(feed.topic, feed.partition) ?? NO_LEADER;
      if (this.#loops.has(leader)) continue;
      this.#loops.add(leader);
      void this.#ask(leader).finally(() => {
        this.#loops.delete(leader);
        this.#schedule();
      });
    }
  }

  /** Asks one broker until none of its partitions is wanted. */
  async #ask(leader: number): Promise<void> {
    // Feeds that change in the same turn share the first request.
    await Promise.resolve();
    while (!this.#closed) {
      const wanted = this.#ledBy(leader).filter((feed) => feed.wanted !== null);
      if (wanted.length === 0) return;
      if (leader === NO_LEADER) await this.#recover(new Error('a partition has no leader'));
      else await this.#fetch(leader, wanted, this.#connection.timings.fetchWait);
    }
  }

  #ledBy(leader: number): Feed[] {
    return [...this.#feeds].filter(
      ({ topic, partition }) => (this.#brokers.leaderOf(topic, partition) ?? NO_LEADER) === leader,
    );
  }

  async #fetch(leader: number, feeds: readonly Feed[], waitMs: number): Promise<void> {
    const asked = feeds.flatMap((feed) => (feed.wanted === null ? [] : [{ feed, offset: feed.wanted }]));
    const soon = this.#ledBy(leader).filter((feed) => feed.tellDraining()).length > 0;
    try {
      const broker = await this.#brokers.broker(leader);
      const answer = await fetchFrom(broker, {
        maxWaitTime: soon ? SHORT_WAIT_MS : waitMs,
        maxBytes: ANSWER_BYTES,
        topics: requests(asked),
      });
      for (const fetched of answer) {
        const of = asked.find(
          ({ feed }) => feed.topic === fetched.topic && feed.partition === fetched.partition,
        );
        of?.feed.accept(fetched, of.offset);
        if (of !== undefined && fetched.records.length > 0) this.#askLast(of.feed);
      }
      this.#failures = 0;
      this.#health.clear(this);
    } catch (error) {
      await this.#survive({ error, leader, asked });
    }
  }

  /** Brokers fill an answer in the order asked: what was served lets the others go first. */
  #askLast(feed: Feed): void {
    if (this.#feeds.delete(feed)) this.#feeds.add(feed);
  }

  async #survive(failure: Failure): Promise<void> {
    // A fetch under way fails when its connection is closed: nothing is to be mended then.
    if (this.#closed) return;
    const { error, leader, asked } = failure;
    const outOfRange = failureType(error) === 'OFFSET_OUT_OF_RANGE' ? failedPartition(error) : null;
    if (outOfRange !== null) {
      const at = asked.find(
        ({ feed }) => feed.topic === outOfRange.topic && feed.partition === outOfRange.partition,
      );
      if (at !== undefined) await this.#locate(at.feed, at.offset);
    } else if (isUnreadable(error) && asked.length > 1) {
      // The answer does not say whose bytes they are: each partition is asked for alone.
      for (const { feed } of asked) await this.#fetch(leader, [feed], SHORT_WAIT_MS);
    } else if (isUnreadable(error)) {
      for (const { feed } of asked) feed.fail(unreadable(feed, error));
    } else {
      await this.#recover(error);
    }
  }

  /** An offset outside the log: below its start a reader that begins is moved to it; anything else is an incident. */
  async #locate(feed: Feed, offset: number): Promise<void> {
    const { topic, partition } = feed;
    try {
      const { start, end } = await rangeOf(this.#brokers, topic, partition);
      if (feed.fresh && offset < start) return feed.skipTo(start);
      if (offset >= start && offset <= end) return;
      const sentence = `Offset ${offset} is outside partition ${partition} of ${topic}, which holds ${start} to ${end}: records were deleted before they were read, or the log was replaced. Begin at a present offset.`;
      this.#connection.say('error', sentence);
      feed.fail(new LogError('refused', sentence));
    } catch (error) {
      await this.#recover(error);
    }
  }

  async #recover(error: unknown): Promise<void> {
    this.#failures += 1;
    this.#health.report(this, toLogError(error, 'Reading waits').message);
    await this.#brokers.recover(error, this.#failures);
    this.#schedule();
  }
}

interface Asked {
  readonly feed: Feed;
  readonly offset: number;
}

interface Failure {
  readonly error: unknown;
  readonly leader: number;
  readonly asked: readonly Asked[];
}

/** Stands in the place of a broker while a partition has none. */
const NO_LEADER = -1;

function requests(asked: readonly Asked[]) {
  const topics = Map.groupBy(asked, ({ feed }) => feed.topic);
  return [...topics].map(([topic, list]) => ({
    topic,
    partitions: list.map(({ feed, offset }) => ({
      partition: feed.partition,
      fetchOffset: String(offset),
      maxBytes: PARTITION_BYTES,
    })),
  }));
}

function unreadable({ topic, partition }: Feed, cause: unknown): LogError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const sentence = `Partition ${partition} of ${topic} holds bytes that cannot be read (${reason}). Look at it with Kafka's own tools.`;
  return new LogError('corrupt', sentence, { cause });
}
