import { randomUUID } from 'node:crypto';
import type { TopicNames } from '@loopwarden/detector/parts';
import { current } from '@loopwarden/schemas';
import type { Log } from '@loopwarden/stream';
import avro from 'avsc';
import type { Kafka } from 'kafkajs';
import { perSecond } from '../measure.ts';
import { detecting } from './detecting.ts';
import { eventRecord, PARTITIONS } from './fleet.ts';

const BATCH = 1000;

interface Filling {
  readonly events: number;
  readonly runs: number;
  readonly partitions?: number;
}

/** Writes a fleet's events, one run in a hundred looping. */
export async function fill(log: Log, topics: TopicNames, { events, ...fleet }: Filling): Promise<void> {
  const writer = log.writer();
  for (let at = 0; at < events; at += BATCH) {
    const records = Array.from({ length: BATCH }, (_, offset) =>
      eventRecord(topics, { index: at + offset, ...fleet, loops: (run) => run % 100 === 0 }),
    );
    await writer.append(records);
  }
  await writer.close();
}

/** Events per second from the first event to the last verdict acknowledged. */
export async function detect(log: Log, topics: TopicNames): Promise<number> {
  const ranges = await log.reader.ranges(topics.events);
  const ends = new Map(ranges.map(({ partition, end }) => [partition, end]));
  const total = [...ends.values()].reduce((sum, end) => sum + end, 0);
  const done = Promise.withResolvers<void>();
  let close = async (): Promise<void> => undefined;
  const rate = await perSecond(total, async () => {
    close = await detecting(log, topics, (partition, judged) => {
      if (judged + 1 >= (ends.get(partition) ?? 0)) ends.delete(partition);
      if (ends.size === 0) done.resolve();
    });
    await done.promise;
  });
  await close();
  return rate;
}

/** The limit: a bare consumer that decodes whole records and does nothing with them. */
export async function decodeBare(kafka: Kafka, topics: TopicNames, total: number): Promise<number> {
  const types = new Map(
    Object.values(current).map(({ embeddedId, schema }) => [
      embeddedId,
      avro.Type.forSchema(schema as never, { wrapUnions: false } as never),
    ]),
  );
  const consumer = kafka.consumer({ groupId: randomUUID(), maxWaitTimeInMs: 200 });
  const done = Promise.withResolvers<void>();
  let left = total;
  const rate = await perSecond(total, async () => {
    await consumer.connect();
    await consumer.subscribe({ topic: topics.events, fromBeginning: true });
    await consumer.run({
      partitionsConsumedConcurrently: PARTITIONS,
      eachBatch: async ({ batch }) => {
        for (const { value } of batch.messages) {
          if (value !== null) types.get(value.readUInt32BE(1))?.fromBuffer(value.subarray(5));
        }
        left -= batch.messages.length;
        if (left <= 0) done.resolve();
      },
    });
    await done.promise;
  });
  await consumer.disconnect();
  return rate;
}
