import { describe, expect, it } from 'vitest';
import type { Log, ReadFrom, ReadOptions } from '../log.ts';
import { collect, everything, numbered, record, type Trial, textOf } from './driver.ts';

async function texts(log: Log, topic: string, options: Partial<ReadOptions>): Promise<readonly string[]> {
  const records = await collect(
    log.reader.read({ topic, partition: 0, from: 'start', until: 'end', ...options }),
  );
  return records.map(textOf);
}

export function readingPromises(trial: () => Trial): void {
  describe('reading without a group', () => {
    it('reads from anywhere to anywhere', async () => {
      const log = await trial().connect();
      const topic = await trial().topic(log, { timestamps: 'create', cleanup: 'keep', retentionMs: null });
      const times = [1_700_000_000_000, 1_700_000_010_000, 1_700_000_020_000];
      await log.writer().append(times.map((timestamp, at) => record(topic, String(at), { timestamp })));
      const cases: readonly (readonly [ReadFrom, number | 'end', readonly string[]])[] = [
        ['start', 'end', ['0', '1', '2']],
        [{ offset: 1 }, 'end', ['1', '2']],
        ['start', 2, ['0', '1']],
        [{ offset: 1 }, 2, ['1']],
        [{ offset: 2 }, 2, []],
        [{ timestamp: 1_700_000_010_000 }, 'end', ['1', '2']],
        [{ timestamp: 1_700_000_010_001 }, 'end', ['2']],
        [{ timestamp: 1_700_000_020_001 }, 'end', []],
        ['end', 'end', []],
      ];
      for (const [from, until, expected] of cases) {
        expect(await texts(log, topic, { from, until }), JSON.stringify({ from, until })).toEqual(expected);
      }
    });

    it('ends at once where there is nothing', async () => {
      const log = await trial().connect();
      const topic = await trial().topic(log, { partitions: 2 });
      await log.writer().append([record(topic, 'elsewhere', { partition: 1 })]);
      expect(await texts(log, topic, {})).toEqual([]);
    });

    it('hands out batches that are consecutive, never empty and within the size asked for', async () => {
      const log = await trial().connect();
      const topic = await trial().topic(log);
      await log.writer().append(numbered(topic, 25));
      const sizes: number[] = [];
      const offsets: number[] = [];
      const batches = log.reader.read({ topic, partition: 0, from: 'start', until: 'end', batchSize: 10 });
      for await (const batch of batches) {
        sizes.push(batch.records.length);
        offsets.push(...batch.records.map(({ offset }) => offset));
        expect(batch).toMatchObject({ topic, partition: 0, end: 25 });
      }
      expect(Math.max(...sizes)).toBeLessThanOrEqual(10);
      expect(Math.min(...sizes)).toBeGreaterThan(0);
      expect(offsets).toEqual(Array.from({ length: 25 }, (_, offset) => offset));
    });

    it('takes “end” as the end when the read began', async () => {
      const log = await trial().connect();
      const topic = await trial().topic(log);
      const writer = log.writer();
      await writer.append(numbered(topic, 3));
      const heard: string[] = [];
      const batches = log.reader.read({ topic, partition: 0, from: 'start', until: 'end', batchSize: 1 });
      for await (const { records } of batches) {
        heard.push(...records.map(textOf));
        await writer.append([record(topic, 'later')]);
      }
      expect(heard).toEqual(['0', '1', '2']);
    });

    it('waits for an end that is still to come', async () => {
      const log = await trial().connect();
      const topic = await trial().topic(log);
      const writer = log.writer();
      await writer.append([record(topic, 'now')]);
      const reading = texts(log, topic, { until: 3 });
      await writer.append([record(topic, 'soon')]);
      await writer.append([record(topic, 'later'), record(topic, 'beyond')]);
      expect(await reading).toEqual(['now', 'soon', 'later']);
    });

    it('follows a partition across connections until told to stop', async () => {
      const [writing, reading] = [await trial().connect(), await trial().connect()];
      const topic = await trial().topic(writing);
      const stop = new AbortController();
      const heard: string[] = [];
      const following = (async () => {
        const options = { topic, partition: 0, from: 'start', until: 'never', signal: stop.signal } as const;
        for await (const { records } of reading.reader.read(options)) heard.push(...records.map(textOf));
      })();
      const writer = writing.writer();
      for (const text of ['a', 'b', 'c']) {
        await writer.append([record(topic, text)]);
        await trial().eventually(() => expect(heard.at(-1)).toBe(text));
      }
      stop.abort();
      await following;
      expect(heard).toEqual(['a', 'b', 'c']);
    });

    it('reads nothing once the signal has aborted', async () => {
      const log = await trial().connect();
      const topic = await trial().topic(log);
      await log.writer().append([record(topic, 'a')]);
      expect(await texts(log, topic, { until: 'never', signal: AbortSignal.abort() })).toEqual([]);
    });

    it('knows the ranges of a topic and the offsets at a time', async () => {
      const log = await trial().connect();
      const topic = await trial().topic(log, {
        partitions: 3,
        timestamps: 'create',
        cleanup: 'keep',
        retentionMs: null,
      });
      await log
        .writer()
        .append([
          record(topic, 'a', { timestamp: 1_700_000_001_000 }),
          record(topic, 'b', { timestamp: 1_700_000_003_000 }),
          record(topic, 'c', { timestamp: 1_700_000_002_000, partition: 1 }),
        ]);
      expect(await log.reader.ranges(topic)).toEqual([
        { partition: 0, start: 0, end: 2 },
        { partition: 1, start: 0, end: 1 },
        { partition: 2, start: 0, end: 0 },
      ]);
      const offsetsAt = async (time: number): Promise<object> =>
        Object.fromEntries(await log.reader.offsetsAt(topic, time));
      expect(await offsetsAt(0)).toEqual({ 0: 0, 1: 0, 2: 0 });
      expect(await offsetsAt(1_700_000_002_000)).toEqual({ 0: 1, 1: 0, 2: 0 });
      expect(await offsetsAt(1_700_000_002_001)).toEqual({ 0: 1, 1: 1, 2: 0 });
      expect(await offsetsAt(1_700_000_009_000)).toEqual({ 0: 2, 1: 1, 2: 0 });
    });

    it('refuses unknown topics and partitions', async () => {
      const log = await trial().connect();
      const topic = await trial().topic(log);
      const refused = { code: 'refused' };
      await expect(everything(log, `${topic}.no`)).rejects.toMatchObject(refused);
      await expect(everything(log, topic, 5)).rejects.toMatchObject(refused);
      await expect(log.reader.ranges(`${topic}.no`)).rejects.toMatchObject(refused);
      await expect(log.reader.offsetsAt(`${topic}.no`, 0)).rejects.toMatchObject(refused);
    });
  });
}
