import type Cluster from 'kafkajs/src/cluster/index.js';
import type { Broker } from 'kafkajs/src/cluster/index.js';
import { refuseUnknown } from '../record-bytes.ts';
import type { Connection, Connections } from './connection.ts';
import { failureType, isTimeout, toLogError } from './failure.ts';

/** A topic that was just created may not be known to every broker yet. */
const UNKNOWN_ATTEMPTS = 5;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

/** One set of connections to a cluster, and who leads what in it. */
export class Brokers {
  readonly #connect: () => Connections;
  #connections: Connections;
  readonly #topics = new Map<string, Promise<void>>();
  readonly #coordinators = new Map<string, string>();
  #recovering: Promise<void> | undefined;
  #closed = false;

  constructor(connection: Connection, name?: string) {
    this.#connect = () => connection.cluster(name);
    this.#connections = this.#connect();
  }

  get #cluster(): Cluster {
    return this.#connections.cluster;
  }

  /** Learns who leads a topic; resolves with how many partitions it has. Rejects with `refused` when it does not exist. */
  async partitions(topic: string): Promise<number> {
    let known = this.#topics.get(topic);
    if (known === undefined) {
      known = this.#learn(topic);
      this.#topics.set(topic, known);
      known.catch(() => this.#topics.delete(topic));
    }
    await known;
    return this.#cluster.findTopicPartitionMetadata(topic).length;
  }

  /** The node that leads a partition of a topic that was learnt; null while there is none. */
  leaderOf(topic: string, partition: number): number | null {
    const partitions = this.#cluster.findTopicPartitionMetadata(topic);
    const leader = partitions.find(({ partitionId }) => partitionId === partition)?.leader ?? null;
    return leader === -1 ? null : leader;
  }

  /** A connected broker. */
  async broker(node: number): Promise<Broker> {
    await this.#cluster.refreshMetadataIfNecessary();
    return this.#cluster.findBroker({ nodeId: node });
  }

  /** The broker that keeps a group; asked for once, and again after a failure. */
  async coordinator(groupId: string): Promise<Broker> {
    const known = this.#coordinators.get(groupId);
    if (known !== undefined) return this.#cluster.findBroker({ nodeId: known });
    await this.#cluster.connect();
    const coordinator = await this.#cluster.findGroupCoordinator({ groupId });
    this.#coordinators.set(groupId, coordinator.nodeId);
    return coordinator;
  }

  /** After a failure, the `failures`th in a row: waits, longer with each, and asks who leads and coordinates now. */
  recover(error: unknown, failures: number): Promise<void> {
    this.#recovering ??= this.#recover(error, failures).finally(() => {
      this.#recovering = undefined;
    });
    return this.#recovering;
  }

  close(): Promise<void> {
    this.#closed = true;
    return this.#connections.close();
  }

  async #recover(error: unknown, failures: number): Promise<void> {
    await pause(Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS));
    this.#coordinators.clear();
    const refreshed =
      failures === 1 &&
      !isTimeout(error) &&
      (await this.#cluster.refreshMetadata().then(
        () => true,
        () => false,
      ));
    if (!refreshed) await this.#renew();
  }

  /**
   * Connects anew. A broker that took a connection but did not answer its first request stays half connected in
   * kafkajs for ever, and so does a connection whose other end vanished without a word.
   */
  async #renew(): Promise<void> {
    const fresh = this.#connect();
    try {
      await fresh.cluster.connect();
      for (const topic of this.#topics.keys()) await fresh.cluster.addTargetTopic(topic);
      await fresh.cluster.refreshMetadata();
    } catch {
      return void fresh.close();
    }
    if (this.#closed) return void fresh.close();
    void this.#connections.close();
    this.#connections = fresh;
  }

  async #learn(topic: string): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#cluster.connect();
        await this.#cluster.addTargetTopic(topic);
        return;
      } catch (error) {
        const unknown = failureType(error) === 'UNKNOWN_TOPIC_OR_PARTITION';
        if (!unknown) throw toLogError(error, `The topic ${topic} cannot be looked up`);
        if (attempt === UNKNOWN_ATTEMPTS) refuseUnknown(topic, 0, undefined);
      }
      await pause(100);
    }
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Resolves with the work, or after so many milliseconds without it. */
export async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, ms);
  await Promise.race([work, over.promise]).finally(() => clearTimeout(timer));
}
