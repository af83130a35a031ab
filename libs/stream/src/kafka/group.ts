import type { Committed, GroupHandlers, GroupOptions, LogGroup } from '../log.ts';
import { OwnedPartition } from '../owned-partition.ts';
import type { Batch } from '../record.ts';
import { refuseUnknown } from '../record-bytes.ts';
import { defaultBatchSize, type RecordSource } from '../record-source.ts';
import { Brokers, pause, within } from './brokers.ts';
import type { Connection } from './connection.ts';
import type { Feed } from './feed.ts';
import { Fetcher } from './fetcher.ts';
import { fenced } from './group-commit.ts';
import type { Health } from './health.ts';
import { Membership } from './membership.ts';
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
  readonly partition: number;
  readonly owned: OwnedPartition;
  readonly feed: Feed;
  /** Aborts when the partition is wanted back: no further batch begins. */
  readonly wanted: AbortController;
  /** Aborts when the partition is not this member's any more: nothing is committed for it. */
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
  /** A request to join waits for the others, and what follows it on its connection waits with it. */
  readonly #entrance: Brokers;
  readonly #fetcher: Fetcher;
  readonly #membership: Membership;
  readonly #holdings = new Map<number, Holding>();
  /** Earlier lives of partitions whose last handler still runs. */
  readonly #ending = new Map<number, Promise<void>>();
  #asking: Asking | undefined;
  #closing: Promise<void> | undefined;

  private constructor(context: GroupContext, brokers: Brokers) {
    const { connection, health, options, handlers } = context;
    this.#of = context;
    this.#brokers = brokers;
    this.#entrance = new Brokers(connection, options.clientId);
    this.#fetcher = new Fetcher(brokers, connection, health);
    this.#membership = new Membership(
      {
        brokers,
        entrance: this.#entrance,
        connection,
        health,
        group: options.group,
        instance: options.instance ?? null,
        topic: options.topic,
      },
      {
        owned: () => [...this.#holdings.keys()],
        assigned: (partitions) => this.#assigned(partitions),
        expelled: () => this.#expelled(),
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
    const holdings = [...this.#holdings.values()];
    await Promise.all([...holdings.map((holding) => this.#release(holding)), ...this.#ending.values()]);
    for (const holding of holdings) this.#forget(holding);
    await this.#membership.leave();
    this.#fetcher.close();
    await Promise.all([this.#brokers.close(), this.#entrance.close()]);
  }

  /** Takes on what is new; resolves when what is not this member's any more was given up. */
  async #assigned(partitions: readonly number[]): Promise<void> {
    if (this.#closing !== undefined) return;
    const back = [...this.#holdings.values()].filter(({ partition }) => !partitions.includes(partition));
    const givenUp = back.map((holding) => this.#giveUp(holding));
    for (const partition of partitions) this.#keepOrTake(partition);
    await Promise.all(givenUp);
  }

  /** Others own everything by now. Resolves when nothing works on it here any more. */
  async #expelled(): Promise<void> {
    if (this.#closing !== undefined) return;
    for (const holding of this.#holdings.values()) this.#drop(holding);
    await Promise.all(this.#ending.values());
  }

  /** Gives a partition back after the batch in flight, for as long as the next owner may be kept waiting. */
  async #giveUp(holding: Holding): Promise<void> {
    const { rebalance } = this.#of.connection.timings;
    await within(rebalance / 2, this.#release(holding));
    if (this.#holdings.get(holding.partition) === holding) this.#drop(holding);
  }

  #release({ owned, feed, wanted }: Holding): Promise<void> {
    wanted.abort();
    this.#fetcher.release(feed);
    return owned.release();
  }

  #drop(holding: Holding): void {
    holding.wanted.abort();
    this.#forget(holding);
    this.#fetcher.release(holding.feed);
    this.#awaitEnd(holding.partition, holding.owned.drop());
  }

  /** Nothing is committed for the partition from now on, and it is not claimed. */
  #forget({ partition, feed, gone }: Holding): void {
    this.#holdings.delete(partition);
    gone.abort();
    this.#of.health.forget(feed);
  }

  #awaitEnd(partition: number, end: Promise<void>): void {
    const ended = end.finally(() => {
      if (this.#ending.get(partition) === ended) this.#ending.delete(partition);
    });
    this.#ending.set(partition, ended);
  }

  /** What is being given up just now and comes back all the same is taken on anew. */
  #keepOrTake(partition: number): void {
    const holding = this.#holdings.get(partition);
    if (holding?.wanted.signal.aborted === false) return;
    if (holding !== undefined) {
      this.#forget(holding);
      this.#awaitEnd(partition, holding.owned.done);
    }
    this.#take(partition);
  }

  /** Takes a partition on; one whose last handler still runs is given back to its owner only after that. */
  #take(partition: number): void {
    const { topic, batchSize = defaultBatchSize } = this.#of.options;
    const feed = this.#fetcher.open(topic, partition);
    const [wanted, gone] = [new AbortController(), new AbortController()];
    const before = this.#ending.get(partition);
    const owned = new OwnedPartition({
      topic,
      partition,
      batchSize,
      source: this.#source(feed),
      handlers: { ...this.#of.handlers, batch: (batch) => this.#deliver(batch, wanted.signal) },
      committed: async () => {
        await before;
        return this.#committed(partition);
      },
      pause: restorePause,
    });
    this.#holdings.set(partition, { partition, owned, feed, wanted, gone });
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

  /** Hands a batch out, unless the group may have gone on without this member. */
  async #deliver(batch: Batch, wanted: AbortSignal): Promise<void> {
    while (!wanted.aborted && !this.#membership.certain) await pause(DOUBT_MS);
    if (!wanted.aborted) await this.#of.handlers.batch(batch);
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
