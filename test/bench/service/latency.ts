import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TopicNames } from '@loopwarden/detector/parts';
import type { Log } from '@loopwarden/stream';
import type { Kafka } from 'kafkajs';
import { detecting } from './detecting.ts';
import { codec, eventRecord, freshTopics, PARTITIONS } from './fleet.ts';

/** Events per second and run: enough for a loop to be seen while warming up. */
const RUN_RATE = 10;
/** One run in ten loops, so every twentieth event leads to a verdict. */
const loops = (run: number): boolean => run % 10 === 0;

/** Milliseconds of warming up that are not counted, and of measuring. */
const WARM_UP_MS = 2_000;
const MEASURED_MS = 6_000;

export interface Latency {
  readonly p50: number;
  readonly p99: number;
}

/** From an event's intended send time to its verdict in a consumer's hand. */
export async function verdictLatency(log: Log, perSecond: number): Promise<Latency> {
  const topics = await freshTopics(log);
  const close = await detecting(log, topics);
  const times = new Times();
  const stop = await follow(log, topics.control, (value) => {
    const decoded = codec.decodeControl(value);
    if (!decoded.ok || decoded.value.type !== 'verdict') return;
    const { runId, trigger } = decoded.value.verdict;
    times.arrived(`${runId} ${trigger.sequence}`);
  });
  await send(log, topics, { perSecond, times });
  await Promise.all([close(), stop()]);
  return times.latency();
}

/** The limit: the same events, and a bare kafkajs client that passes on those that would lead to a verdict. */
export async function relayLatency(log: Log, kafka: Kafka, perSecond: number): Promise<Latency> {
  const topics = await freshTopics(log);
  const times = new Times();
  const producer = kafka.producer();
  const relay = kafka.consumer({ groupId: randomUUID(), maxWaitTimeInMs: 200 });
  await Promise.all([producer.connect(), relay.connect()]);
  await relay.subscribe({ topic: topics.events, fromBeginning: true });
  await relay.run({
    partitionsConsumedConcurrently: PARTITIONS,
    eachBatch: async ({ batch }) => {
      const messages = batch.messages
        .filter(({ headers }) => headers?.probe !== undefined)
        .map(({ key, value, headers }) => ({
          key,
          value,
          headers: headers ?? {},
          partition: batch.partition,
        }));
      if (messages.length > 0) await producer.send({ topic: topics.control, messages, acks: -1 });
    },
  });
  const stop = await follow(log, topics.control, (_value, headers) => times.arrived(headers.probe ?? ''));
  await send(log, topics, { perSecond, times });
  await Promise.all([stop(), relay.disconnect(), producer.disconnect()]);
  return times.latency();
}

/** Intended send times and arrivals, by the name of the event. */
class Times {
  readonly #sent = new Map<string, number>();
  readonly #latencies: number[] = [];

  intended(name: string, at: number): void {
    this.#sent.set(name, at);
  }

  arrived(name: string): void {
    const sent = this.#sent.get(name);
    if (sent !== undefined) this.#latencies.push(performance.now() - sent);
    this.#sent.delete(name);
  }

  latency(): Latency {
    const sorted = this.#latencies.sort((a, b) => a - b);
    const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN;
    return { p50: at(0.5), p99: at(0.99) };
  }
}

/** Sends at a steady rate; what is late counts from when it should have been sent. */
async function send(
  log: Log,
  topics: TopicNames,
  { perSecond, times }: { perSecond: number; times: Times },
): Promise<void> {
  const writer = log.writer();
  const runs = perSecond / RUN_RATE;
  const start = performance.now();
  const pending: Promise<unknown>[] = [];
  let index = 0;
  for (let now = 0; now < WARM_UP_MS + MEASURED_MS; now = performance.now() - start) {
    for (; index < (now * perSecond) / 1000; index += 1) {
      const record = eventRecord(topics, { index, runs, loops });
      const run = (index >> 1) % runs;
      const sequence = 2 * Math.floor((index >> 1) / runs) + (index % 2) + 1;
      const name = `run-${run} ${sequence}`;
      const probes = loops(run) && index % 2 === 1;
      const due = (index * 1000) / perSecond;
      if (probes && due >= WARM_UP_MS) times.intended(name, start + due);
      pending.push(writer.append([probes ? { ...record, headers: { probe: name } } : record]));
    }
    await sleep(1);
  }
  await Promise.all(pending);
  await sleep(1_000);
  await writer.close();
}

type Heard = (value: Uint8Array, headers: Readonly<Record<string, string>>) => void;

/** Follows all partitions of a topic from their end, as gateways do. Returns how to stop. */
async function follow(log: Log, topic: string, heard: Heard): Promise<() => Promise<void>> {
  const controller = new AbortController();
  const { signal } = controller;
  const reading = Array.from({ length: PARTITIONS }, async (_, partition) => {
    for await (const { records } of log.reader.read({
      topic,
      partition,
      from: 'end',
      until: 'never',
      signal,
    })) {
      for (const { value, headers } of records) if (value !== null) heard(value, headers);
    }
  });
  await sleep(500);
  return async () => {
    controller.abort();
    await Promise.all(reading);
  };
}
