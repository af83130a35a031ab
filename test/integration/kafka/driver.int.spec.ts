import type { LogError } from '@loopwarden/stream';
import { kafkaLog } from '@loopwarden/stream/kafka';
import { Kafka, logLevel } from 'kafkajs';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { kafkaUnderTest, uniqueName } from '../../setup/kafka.ts';
import { makeTopic } from './traffic.ts';

const kafka = await kafkaUnderTest();

describe.skipIf(kafka === null)('the Kafka driver beyond the contract', () => {
  const brokers = kafka?.brokers ?? [];
  const log = kafkaLog({ brokers });
  afterAll(() => log.close());

  const administer = async (work: (admin: ReturnType<Kafka['admin']>) => Promise<unknown>) => {
    const admin = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    await work(admin);
    await admin.disconnect();
  };

  it.each(['gzip', 'snappy', 'lz4', 'zstd', 'uncompressed'])(
    'reads what a broker stores as %s',
    async (codec) => {
      const topic = uniqueName(`codec-${codec}`);
      // The broker compresses anew what arrives plain, so these are its own bytes.
      await administer((admin) =>
        admin.createTopics({
          waitForLeaders: true,
          topics: [
            {
              topic,
              numPartitions: 1,
              replicationFactor: 1,
              configEntries: [{ name: 'compression.type', value: codec }],
            },
          ],
        }),
      );
      const texts = Array.from(
        { length: 400 },
        (_, at) => `${at}-${'loop '.repeat(at % 37)}-${Math.sin(at)}`,
      );
      const records = texts.map((text) => ({
        topic,
        partition: 0,
        key: `run-${text.length}`,
        value: Buffer.from(text),
      }));
      await log.writer().append(records);
      const heard: string[] = [];
      for await (const batch of log.reader.read({ topic, partition: 0, from: 'start', until: 'end' })) {
        heard.push(...batch.records.map(({ value }) => Buffer.from(value ?? []).toString()));
      }
      expect(heard).toEqual(texts);
    },
  );

  it('begins with the first present record where older ones were deleted', async () => {
    const topic = await makeTopic(log, uniqueName('deleted'), 1);
    const records = Array.from({ length: 10 }, (_, at) => ({
      topic,
      partition: 0,
      key: null,
      value: Buffer.from(`${at}`),
    }));
    await log.writer().append(records);
    await administer(async (admin) => {
      await admin.fetchTopicOffsets(topic);
      await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '6' }] });
    });
    expect(await log.reader.ranges(topic)).toEqual([{ partition: 0, start: 6, end: 10 }]);
    const offsets: number[] = [];
    for await (const batch of log.reader.read({ topic, partition: 0, from: { offset: 2 }, until: 'end' })) {
      offsets.push(...batch.records.map(({ offset }) => offset));
    }
    expect(offsets).toEqual([6, 7, 8, 9]);
  });

  it('treats an offset behind the end as an incident: the partition is given up and asked for anew', async () => {
    const topic = await makeTopic(log, uniqueName('behind'), 1);
    await log.writer().append([{ topic, partition: 0, key: null, value: Buffer.from('only') }]);
    const failures: LogError[] = [];
    const lost = vi.fn();
    const heard = vi.fn();
    const begins = [1_000, 0];
    const group = await log.join(
      { group: topic, topic },
      {
        assigned: async () => begins.shift() ?? 0,
        lost,
        failed: (error) => failures.push(error),
        batch: async ({ records }) => heard(records.length),
      },
    );
    await vi.waitFor(() => expect(heard).toHaveBeenCalledWith(1), { timeout: 10_000 });
    expect(lost).toHaveBeenCalledTimes(1);
    expect(failures.map(({ code }) => code)).toEqual(['refused']);
    expect(failures[0]?.message).toContain('which holds 0 to 1');
    await group.close();
  });

  it('keeps what one writer appends whole when another record of the same request is refused', async () => {
    const topic = uniqueName('small');
    await administer((admin) =>
      admin.createTopics({
        waitForLeaders: true,
        topics: [
          {
            topic,
            numPartitions: 1,
            replicationFactor: 1,
            configEntries: [{ name: 'max.message.bytes', value: '2000' }],
          },
        ],
      }),
    );
    const writer = log.writer();
    const append = (bytes: number) =>
      writer.append([{ topic, partition: 0, key: null, value: Buffer.alloc(bytes) }]);
    await append(1);
    const results = await Promise.allSettled([append(10), append(20), append(5_000), append(30)]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    expect(results[2]).toMatchObject({ reason: { code: 'refused' } });
  });

  it('names each setting of a compacted topic of before, and repairs it', async () => {
    const name = uniqueName('compacted');
    const state = {
      name,
      partitions: 1,
      cleanup: 'compact',
      retentionMs: null,
      timestamps: 'append',
    } as const;
    await administer((admin) =>
      admin.createTopics({
        waitForLeaders: true,
        topics: [
          {
            topic: name,
            numPartitions: 1,
            replicationFactor: 1,
            configEntries: [
              { name: 'cleanup.policy', value: 'compact' },
              { name: 'message.timestamp.type', value: 'LogAppendTime' },
              { name: 'segment.bytes', value: '1048576' },
            ],
          },
        ],
      }),
    );
    const drift = await log.admin.plan([state]);
    expect(drift).toContainEqual({
      topic: name,
      setting: 'segment.bytes',
      expected: '8388608',
      actual: '1048576',
    });
    expect(drift.map(({ setting }) => setting)).toContain('min.cleanable.dirty.ratio');
    expect(await log.admin.apply([state])).toEqual([]);
    expect(await log.admin.plan([state])).toEqual([]);
  });

  it('says that the cluster is away instead of waiting for ever', async () => {
    const nobody = kafkaLog({ brokers: ['127.0.0.1:1'], timings: { request: 500, append: 1_000 } });
    const record = { topic: 'events', partition: 0, key: null, value: Buffer.from('') };
    await expect(nobody.writer().append([record])).rejects.toMatchObject({ code: 'unavailable' });
    await expect(nobody.reader.ranges('events')).rejects.toMatchObject({ code: 'unavailable' });
    await expect(nobody.admin.topics()).rejects.toMatchObject({ code: 'unavailable' });
    await nobody.close();
  });

  it('leaves no endless timer behind: an idle connection does nothing', async () => {
    const idle = kafkaLog({ brokers });
    await idle.reader.ranges(await makeTopic(idle, uniqueName('idle'), 1));
    const fired = vi.spyOn(globalThis, 'setTimeout');
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise<void>((resolve) => setInterval(() => resolve(), 300).unref());
    expect(fired.mock.calls.length).toBeLessThan(10);
    fired.mockRestore();
    await idle.close();
  });
});
