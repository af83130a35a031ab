import type { Committed, GroupHandlers, GroupOptions, LogGroup } from '../log.ts';
import { OwnedPartition } from '../owned-partition.ts';
import type { Batch } from '../record.ts';
import { refuseUnknown } from '../record-bytes.ts';
import { defaultBatchSize, type RecordSource } from '../record-source.ts';
import { Brokers, pause } from './brokers.ts';
import type { Connection } from './connection.ts';
import type { Feed } from './feed.ts';
import { Fetcher } from './fetcher.ts';
import type { Health } from './health.ts';
import { fenced, Membership } from './membership.ts';
import { committedOf, offsetSince, rangeOf } from './offsets.ts';

const FIRST_RESTORE_PAUSE_MS = 100;
const LONGEST_RESTORE_PAUSE_MS = 10_000;
/** How often a delivery looks whether the group still counts this member. */
const DOUBT_MS = 20;

interface GroupContext {
  readonly connection: Connection;
  readonly health: Health;
  readonly options: GroupOptions;
  readonly handlers: GroupHandlers;
}

/** One partition in this member's hands. */
interface Holding {
  readonly owned: OwnedPartition;
  readonly feed: Feed;
  readonly gone: AbortController;
}

/** A question for what is committed, to be sent at the end of the turn. */
interface Asking {
  readonly partitions: number[];
  readonly answer: Promise<ReadonlyMap<number, Committed>>;
}

/** A member of a consumer group and what it does with the partitions in its hands. */
export class KafkaGroup implements LogGroup {
  readonly #of: GroupContext;
  readonly #brokers: Brokers;
  readonly #fetcher: Fetcher;
  readonly #membership: Membership;
  readonly #holdings = new Map<number, Holding>();
  /** Partitions whose last handler still runs after they were lost. */
  readonly #ending = new Map<number, Promise<void>>();
  readonly #inFlight = new Set<Promise<void>>();
  #asking: Asking | undefined;
  /** While a rebalance is under way no batch begins. */
  #hold: PromiseWithResolvers<void> | null = null;
  #closing: Promise<void> | undefined;

  private constructor(context: GroupContext, brokers: Brokers) {
    const { connection, health, options, handlers } = context;
    this.#of = context;
    this.#brokers = brokers;
    this.#fetcher = new Fetcher(brokers, connection, health);
    this.#membership = new Membership(
      { brokers, connection, health, group: options.group, topic: options.topic },
      {
        owned: () => [...this.#holdings.keys()],
        quiesce: () => this.#quiesce(),
        assigned: (partitions, continuous) => this.#assigned(partitions, continuous),
        expelled: () => this.#assigned([], false),
        refused: (error) => handlers.failed(error),
      },
    );
  }

  /** Joins; resolves with the first assignment. */
  static async join(context: GroupContext): Promise<KafkaGroup> {
    const { topic, clientId } = context.options;
    const brokers = new Brokers(context.connection, clientId);
    try {
      refuseUnknown(topic, 0, await brokers.partitions(topic));
    } catch (error) {
      await brokers.close();
      throw error;
    }
    const group = new KafkaGroup(context, brokers);
    try {
      await group.#membership.joined;
      return group;
    } catch (error) {
      await group.close();
      throw error;
    }
  }

  async commit(topic: string, partition: number, committed: Committed): Promise<void> {
    const holding = this.#holdings.get(partition);
    if (holding === undefined || topic !== this.#of.options.topic) throw fenced(partition, topic);
    await this.#membership.commit({ partition, ...committed }, () => !holding.gone.signal.aborted);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#letGo();
    const holdings = [...this.#holdings.values()];
    for (const { feed } of holdings) this.#fetcher.release(feed);
    await Promise.all([...holdings.map(({ owned }) => owned.release()), ...this.#ending.values()]);
    for (const { feed, gone } of holdings) {
      gone.abort();
      this.#of.health.forget(feed);
    }
    this.#holdings.clear();
    await this.#membership.leave();
    this.#fetcher.close();
    await this.#brokers.close();
  }

  async #quiesce(): Promise<void> {
    if (this.#closing === undefined) this.#hold ??= Promise.withResolvers();
    await Promise.allSettled(this.#inFlight);
  }

  #letGo(): void {
    this.#hold?.resolve();
    this.#hold = null;
  }

  #assigned(partitions: readonly number[], continuous: boolean): void {
    if (this.#closing !== undefined) return;
    const kept = new Set(continuous ? partitions : []);
    for (const partition of this.#holdings.keys()) if (!kept.has(partition)) this.#drop(partition);
    for (const partition of partitions) if (!this.#holdings.has(partition)) this.#take(partition);
    this.#letGo();
  }

  #drop(partition: number): void {
    const holding = this.#holdings.get(partition);
    if (holding === undefined) return;
    this.#holdings.delete(partition);
    holding.gone.abort();
    this.#of.health.forget(holding.feed);
    this.#fetcher.release(holding.feed);
    const ended = holding.owned.drop().finally(() => {
      if (this.#ending.get(partition) === ended) this.#ending.delete(partition);
    });
    this.#ending.set(partition, ended);
  }

  /** Takes a partition on; one whose last handler still runs is given back to its owner only after that. */
  #take(partition: number): void {
    const { topic, batchSize = defaultBatchSize } = this.#of.options;
    const feed = this.#fetcher.open(topic, partition);
    const gone = new AbortController();
    const before = this.#ending.get(partition);
    const owned = new OwnedPartition({
      topic,
      partition,
      batchSize,
      source: this.#source(feed),
      handlers: { ...this.#of.handlers, batch: (batch) => this.#deliver(batch, gone.signal) },
      committed: async () => {
        await before;
        return this.#committed(partition);
      },
      pause: restorePause,
    });
    this.#holdings.set(partition, { owned, feed, gone });
  }

  /** Asks once for all partitions that were taken on together. */
  async #committed(partition: number): Promise<Committed | null> {
    this.#asking ??= this.#askCommitted();
    const { partitions, answer } = this.#asking;
    partitions.push(partition);
    return (await answer).get(partition) ?? null;
  }

  #askCommitted(): Asking {
    const { group, topic } = this.#of.options;
    const partitions: number[] = [];
    const answer = Promise.resolve().then(() => {
      this.#asking = undefined;
      return committedOf(this.#brokers, { group, topic, partitions });
    });
    return { partitions, answer };
  }

  /** Hands a batch out, unless a rebalance is under way or the group may have gone on without this member. */
  async #deliver(batch: Batch, gone: AbortSignal): Promise<void> {
    const over = (): boolean => gone.aborted || this.#closing !== undefined;
    while (!over() && (this.#hold !== null || !this.#membership.certain)) {
      await (this.#hold?.promise ?? pause(DOUBT_MS));
    }
    if (over()) return;
    const work = this.#of.handlers.batch(batch);
    this.#inFlight.add(work);
    try {
      await work;
    } finally {
      this.#inFlight.delete(work);
    }
  }

  #source(feed: Feed): RecordSource {
    const { health } = this.#of;
    const brokers = this.#brokers;
    const name = `Partition ${feed.partition} of ${feed.topic}`;
    return {
      range: (topic, partition) => rangeOf(brokers, topic, partition),
      offsetAt: (topic, partition, timestamp) => offsetSince(brokers, { topic, partition, timestamp }),
      slice: async (_topic, _partition, from) => {
        const slice = await feed.slice(from);
        health.moved(feed, { name, position: from.offset, end: () => feed.end });
        return slice;
      },
      grown: (_topic, _partition, from) => feed.grown(from),
    };
  }
}

/** Waits longer with each failure in a row. */
async function restorePause(failures: number, signal: AbortSignal): Promise<void> {
  const ms = Math.min(FIRST_RESTORE_PAUSE_MS * 2 ** (failures - 1), LONGEST_RESTORE_PAUSE_MS);
  const aborted = Promise.withResolvers<void>();
  const wake = (): void => aborted.resolve();
  signal.addEventListener('abort', wake, { once: true });
  if (!signal.aborted) await Promise.race([pause(ms), aborted.promise]);
  signal.removeEventListener('abort', wake);
}
