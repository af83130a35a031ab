import { LogError, type LogWriter } from '../log.ts';
import type { OutRecord, Position } from '../record.ts';
import { refuseUnfit } from '../record-bytes.ts';
import { Brokers } from './brokers.ts';
import type { Connection } from './connection.ts';
import { failureType, toLogError } from './failure.ts';
import type { Health } from './health.ts';
import { Append, type Message, PartitionQueue } from './partition-queue.ts';

const ALL_IN_SYNC = -1;
/** What a leader that has moved answers; what it was asked did not happen. */
const STALE = new Set(['UNKNOWN_TOPIC_OR_PARTITION', 'NOT_LEADER_FOR_PARTITION', 'LEADER_NOT_AVAILABLE']);

/**
 * Appends with one request in flight per broker: what arrives meanwhile goes with the next one. There is no
 * delay to tune, batches grow with the load, and a partition's records cannot overtake each other.
 */
export class KafkaWriter implements LogWriter {
  readonly #brokers: Brokers;
  readonly #connection: Connection;
  readonly #health: Health;
  readonly #counts = new Map<string, number>();
  readonly #queues = new Map<string, PartitionQueue>();
  readonly #busy = new Set<number>();
  #learning: Promise<void> | undefined;
  #recovering = false;
  #failures = 0;
  #drained: (() => void) | undefined;
  #closed = false;

  constructor(connection: Connection, health: Health) {
    this.#connection = connection;
    this.#health = health;
    this.#brokers = new Brokers(connection);
  }

  async append(records: readonly OutRecord[]): Promise<readonly Position[]> {
    this.#refuseClosed();
    const unknown = records.some(({ topic }) => !this.#counts.has(topic));
    if (unknown || this.#learning !== undefined) await this.#learn(records);
    this.#refuseClosed();
    for (const record of records) refuseUnfit(record, this.#counts.get(record.topic));
    if (records.length === 0) return [];
    const append = new Append(records.length);
    const deadline = performance.now() + this.#connection.timings.append;
    for (const [index, record] of records.entries()) {
      this.#queueOf(record).add({ record, append, index, deadline });
    }
    this.#pump();
    return append.done;
  }

  /** Waits for what is under way. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    if (!this.#empty()) {
      await new Promise<void>((resolve) => {
        this.#drained = resolve;
      });
    }
    this.#health.clear(this);
    await this.#brokers.close();
  }

  #refuseClosed(): void {
    if (this.#closed) throw new LogError('closed', 'The writer is closed. Open another one to append.');
  }

  /** Looks topics up one append after the other, so that appends keep the order they were called in. */
  #learn(records: readonly OutRecord[]): Promise<void> {
    const before = this.#learning ?? Promise.resolve();
    const learnt = before
      .catch(() => undefined)
      .then(async () => {
        for (const topic of new Set(records.map((record) => record.topic))) {
          this.#counts.set(topic, await this.#brokers.partitions(topic));
        }
      });
    this.#learning = learnt;
    const settled = (): void => {
      if (this.#learning === learnt) this.#learning = undefined;
    };
    learnt.then(settled, settled);
    return learnt;
  }

  #queueOf({ topic, partition }: OutRecord): PartitionQueue {
    const name = `${topic} ${partition}`;
    let queue = this.#queues.get(name);
    if (queue === undefined) {
      queue = new PartitionQueue(topic, partition);
      this.#queues.set(name, queue);
    }
    return queue;
  }

  /** Sends to every broker that has no request in flight and leads a partition with records waiting. */
  #pump(): void {
    if (this.#recovering) return;
    const ready = new Map<number, PartitionQueue[]>();
    for (const queue of this.#queues.values()) {
      if (!queue.ready) continue;
      const leader = this.#brokers.leaderOf(queue.topic, queue.partition);
      if (leader === null) {
        const error = new Error(`partition ${queue.partition} of ${queue.topic} has no leader`);
        return void this.#recover(error);
      }
      if (!this.#busy.has(leader)) ready.set(leader, [...(ready.get(leader) ?? []), queue]);
    }
    for (const [leader, queues] of ready) {
      const single = queues.find((queue) => queue.single);
      void this.#send(leader, single === undefined ? queues : [single]);
    }
    if (this.#drained !== undefined && this.#empty()) this.#drained();
  }

  async #send(leader: number, queues: readonly PartitionQueue[]): Promise<void> {
    this.#busy.add(leader);
    const topicData = byTopic(queues.map((queue) => ({ queue, messages: queue.take() })));
    try {
      const broker = await this.#brokers.broker(leader);
      const timeout = this.#connection.timings.request;
      const { topics } = await broker.produce({ acks: ALL_IN_SYNC, timeout, topicData });
      for (const { topicName, partitions } of topics) {
        for (const { partition, baseOffset, logAppendTime } of partitions) {
          const queue = this.#queues.get(`${topicName} ${partition}`);
          queue?.acknowledge(Number(baseOffset), Number(logAppendTime));
        }
      }
      this.#failures = 0;
      this.#health.clear(this);
    } catch (error) {
      this.#sort(error, queues);
    } finally {
      this.#busy.delete(leader);
      this.#pump();
    }
  }

  /** After a failed request: what may still succeed goes back, what cannot fails. */
  #sort(error: unknown, queues: readonly PartitionQueue[]): void {
    const failure = toLogError(error, 'The records were not appended');
    if (failure.code === 'unavailable' || STALE.has(failureType(error))) {
      for (const queue of queues) queue.putBack('together');
      void this.#recover(error);
    } else if (queues.reduce((sum, { inFlight }) => sum + inFlight, 0) > 1) {
      // The answer names no record: the others must not fail with the one that was refused.
      for (const queue of queues) queue.putBack('singly');
    } else {
      for (const queue of queues) queue.fail(failure);
    }
  }

  async #recover(error: unknown): Promise<void> {
    if (this.#recovering) return;
    this.#recovering = true;
    this.#failures += 1;
    const failure = toLogError(error, 'Appending waits');
    this.#health.report(this, failure.message);
    await this.#brokers.recover(error, this.#failures);
    const unavailable = new LogError('unavailable', failure.message, { cause: error });
    for (const queue of this.#queues.values()) queue.expire(performance.now(), unavailable);
    this.#recovering = false;
    this.#pump();
  }

  #empty(): boolean {
    return [...this.#queues.values()].every((queue) => queue.empty);
  }
}

function byTopic(taken: readonly { queue: PartitionQueue; messages: Message[] }[]) {
  const topics = Map.groupBy(taken, ({ queue }) => queue.topic);
  return [...topics].map(([topic, list]) => ({
    topic,
    partitions: list.map(({ queue, messages }) => ({ partition: queue.partition, messages })),
  }));
}
