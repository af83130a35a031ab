import { randomUUID } from 'node:crypto';
import type { Log, OutRecord } from '@loopwarden/stream';
import { kafkaLog } from '@loopwarden/stream/kafka';
import { Kafka, logLevel, type Producer } from 'kafkajs';
import { startCluster } from '../setup/cluster.ts';
import { type Bench, measure, perSecond } from './measure.ts';

const PARTITIONS = 12;
const BATCH = 500;
const APPENDS = 30_000;
const SINGLES = 2_000;
const READS = 240_000;
const VALUE = Buffer.alloc(300, 7);
const HEADERS = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };

/** The Kafka driver beside bare kafkajs: same broker, same topic, same batches, in turns. */
export const bench: Bench = async function* () {
  const { brokers, stop } = await aBroker();
  const log = kafkaLog({ brokers });
  const kafka = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING });
  const topic = `bench-${randomUUID()}`;
  await log.admin.apply([
    { name: topic, partitions: PARTITIONS, cleanup: 'delete', retentionMs: null, timestamps: 'append' },
  ]);
  const producer = kafka.producer();
  await producer.connect();
  yield* appending(log, producer, topic);
  await fill(log, topic);
  yield await measure({
    name: 'kafka consuming in a group',
    unit: 'records/s',
    sample: () => perSecond(READS, () => consume(log, topic)),
    baseline: () => perSecond(READS, () => consumeBare(kafka, topic)),
  });
  yield await measure({
    name: 'kafka reading without a group, beside a bare group',
    unit: 'records/s',
    sample: () => perSecond(READS, () => read(log, topic)),
    baseline: () => perSecond(READS, () => consumeBare(kafka, topic)),
  });
  yield await measure({
    name: 'kafka first record of a read without a group, beside one of a bare group',
    unit: 'ms',
    sample: () => firstRead(log, topic),
    baseline: () => firstConsumed(kafka, topic),
  });
  await producer.disconnect();
  await log.close();
  await stop();
};

async function* appending(log: Log, producer: Producer, topic: string) {
  const writer = log.writer();
  yield await measure({
    name: `kafka appends in batches of ${BATCH}`,
    unit: 'records/s',
    sample: () =>
      perSecond(APPENDS, async () => {
        for (let at = 0; at < APPENDS; at += BATCH) await writer.append(batch(topic, at));
      }),
    baseline: () =>
      perSecond(APPENDS, async () => {
        for (let at = 0; at < APPENDS; at += BATCH)
          await sendBare(producer, topic, { first: at, size: BATCH });
      }),
  });
  yield await measure({
    name: `kafka single appends, ${SINGLES} side by side`,
    unit: 'records/s',
    sample: () =>
      perSecond(SINGLES, () =>
        Promise.all(Array.from({ length: SINGLES }, (_, at) => writer.append([recordAt(topic, at)]))),
      ),
    baseline: () =>
      perSecond(SINGLES, () =>
        Promise.all(
          Array.from({ length: SINGLES }, (_, at) => sendBare(producer, topic, { first: at, size: 1 })),
        ),
      ),
  });
}

function recordAt(topic: string, at: number): OutRecord {
  return { topic, partition: at % PARTITIONS, key: `run-${at % 1000}`, value: VALUE, headers: HEADERS };
}

function batch(topic: string, first: number): readonly OutRecord[] {
  return Array.from({ length: BATCH }, (_, at) => recordAt(topic, first + at));
}

async function sendBare(
  producer: Producer,
  topic: string,
  { first, size }: { first: number; size: number },
): Promise<void> {
  const messages = Array.from({ length: size }, (_, at) => ({
    partition: (first + at) % PARTITIONS,
    key: `run-${(first + at) % 1000}`,
    value: VALUE,
    headers: HEADERS,
  }));
  await producer.sendBatch({ acks: -1, topicMessages: [{ topic, messages }] });
}

/** Enough for one consumption, in equal parts. */
async function fill(log: Log, topic: string): Promise<void> {
  const writer = log.writer();
  for (let at = 0; at < READS; at += BATCH) await writer.append(batch(topic, at));
  await writer.close();
}

async function consume(log: Log, topic: string): Promise<void> {
  let wanted = READS;
  const done = Promise.withResolvers<void>();
  const group = await log.join(
    { group: randomUUID(), topic },
    {
      assigned: async () => 0,
      lost: () => undefined,
      failed: done.reject,
      batch: async ({ records }) => {
        wanted -= records.length;
        if (wanted <= 0) done.resolve();
      },
    },
  );
  await done.promise;
  void group.close();
}

async function consumeBare(kafka: Kafka, topic: string): Promise<void> {
  let wanted = READS;
  const done = Promise.withResolvers<void>();
  const consumer = kafka.consumer({ groupId: randomUUID(), readUncommitted: true, maxWaitTimeInMs: 200 });
  await consumer.subscribe({ topic, fromBeginning: true });
  await consumer.run({
    autoCommit: false,
    partitionsConsumedConcurrently: PARTITIONS,
    eachBatch: async ({ batch: { messages } }) => {
      wanted -= messages.length;
      if (wanted <= 0) done.resolve();
    },
  });
  await done.promise;
  void consumer.disconnect();
}

async function read(log: Log, topic: string): Promise<void> {
  const parts = Array.from({ length: PARTITIONS }, async (_, partition) => {
    const until = READS / PARTITIONS;
    for await (const _batch of log.reader.read({ topic, partition, from: 'start', until }));
  });
  await Promise.all(parts);
}

async function firstRead(log: Log, topic: string): Promise<number> {
  const start = performance.now();
  for await (const _batch of log.reader.read({ topic, partition: 0, from: 'start', until: 'end' })) break;
  return performance.now() - start;
}

async function firstConsumed(kafka: Kafka, topic: string): Promise<number> {
  const start = performance.now();
  const first = Promise.withResolvers<number>();
  const consumer = kafka.consumer({ groupId: randomUUID(), readUncommitted: true, maxWaitTimeInMs: 200 });
  await consumer.subscribe({ topic, fromBeginning: true });
  await consumer.run({
    autoCommit: false,
    eachBatch: async () => first.resolve(performance.now() - start),
  });
  const took = await first.promise;
  void consumer.disconnect();
  return took;
}

/** The broker of the environment, or one of this bench's own. */
async function aBroker(): Promise<{ brokers: readonly string[]; stop: () => Promise<unknown> }> {
  const named = process.env.LOOPWARDEN_TEST_BROKERS;
  if (named !== undefined) return { brokers: named.split(','), stop: async () => undefined };
  const cluster = await startCluster({ nodes: 1 });
  return { brokers: cluster.brokers, stop: () => cluster.stop() };
}
