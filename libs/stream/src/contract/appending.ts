import { describe, expect, it } from 'vitest';
import { everything, numbered, record, type Trial, textOf } from './driver.ts';

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);

export function appendingPromises(trial: () => Trial): void {
  describe('appending', () => {
    it('acknowledges each record with its position, in order', async () => {
      const log = await trial().connect();
      const topic = await trial().topic(log, { partitions: 2 });
      const before = await log.reader.ranges(topic);
      const positions = await log
        .writer()
        .append([record(topic, 'a'), record(topic, 'b', { partition: 1 }), record(topic, 'c')]);
      expect(before).toEqual([
        { partition: 0, start: 0, end: 0 },
        { partition: 1, start: 0, end: 0 },
      ]);
      expect(positions.map(({ partition, offset }) => [partition, offset])).toEqual([
        [0, 0],
        [1, 0],
        [0, 1],
      ]);
      const records = await everything(log, topic);
      expect(records.map(textOf)).toEqual(['a', 'c']);
      expect(records.map(({ timestamp }) => timestamp)).toEqual([
        positions[0]?.timestamp,
        positions[2]?.timestamp,
      ]);
    });

    it('keeps the order of concurrent appends of one writer', async () => {
      const log = await trial().connect();
      const topic = await trial().topic(log);
      const writer = log.writer();
      const texts = Array.from({ length: 60 }, (_, number) => String(number));
      const positions = await Promise.all(texts.map((text) => writer.append([record(topic, text)])));
      const offsets = positions.map(([position]) => position?.offset ?? -1);
      expect(offsets).toEqual([...offsets].sort((one, other) => one - other));
      expect((await everything(log, topic)).map(textOf)).toEqual(texts);
    });

    it('takes records of several topics in one append', async () => {
      const log = await trial().connect();
      const one = await trial().topic(log);
      const other = await trial().topic(log);
      await log.writer().append([record(one, 'a'), record(other, 'b')]);
      expect((await everything(log, one)).map(textOf)).toEqual(['a']);
      expect((await everything(log, other)).map(textOf)).toEqual(['b']);
    });

    it('acknowledges an empty append', async () => {
      const log = await trial().connect();
      expect(await log.writer().append([])).toEqual([]);
    });

    it('gives back keys, values, headers and tombstones as they were', async () => {
      const log = await trial().connect();
      const topic = await trial().topic(log);
      const headers = { traceparent: '00-ab-cd-01', 'lw-lineage': '0', text: 'Grüße' };
      await log
        .writer()
        .append([
          record(topic, 'all', { key: bytes(0, 255, 128), headers }),
          { topic, partition: 0, key: 'schlüssel', value: null },
          { topic, partition: 0, key: null, value: bytes() },
        ]);
      const [all, tombstone, empty] = await everything(log, topic);
      expect(Array.from(all?.key ?? [])).toEqual([0, 255, 128]);
      expect(all?.headers).toEqual(headers);
      expect(textOf({ value: tombstone?.key ?? null })).toBe('schlüssel');
      expect(tombstone?.value).toBeNull();
      expect(tombstone?.headers).toEqual({});
      expect(empty?.key).toBeNull();
      expect(empty?.value).toHaveLength(0);
    });

    it('does not see what a writer does to its buffers once they are appended', async () => {
      const log = await trial().connect();
      const topic = await trial().topic(log);
      const value = bytes(1, 2, 3);
      await log.writer().append([{ topic, partition: 0, key: null, value }]);
      value.fill(9);
      const [only] = await everything(log, topic);
      expect(Array.from(only?.value ?? [])).toEqual([1, 2, 3]);
    });

    it('takes large records and refuses those above its limit, without harm to the writer', async () => {
      const log = await trial().connect();
      const topic = await trial().topic(log);
      const writer = log.writer();
      const large = new Uint8Array(900_000).map((_, at) => (at * 31) % 251);
      await writer.append([{ topic, partition: 0, key: null, value: large }]);
      const tooLarge = writer.append([{ topic, partition: 0, key: null, value: new Uint8Array(4_000_000) }]);
      await expect(tooLarge).rejects.toMatchObject({ code: 'refused' });
      await writer.append([record(topic, 'after')]);
      const [first, second] = await everything(log, topic);
      expect(Buffer.compare(first?.value ?? bytes(), large)).toBe(0);
      expect(second && textOf(second)).toBe('after');
    });

    it('refuses unknown topics and partitions, without harm to the writer', async () => {
      const log = await trial().connect();
      const topic = await trial().topic(log);
      const writer = log.writer();
      await expect(writer.append([record(`${topic}.no`, 'a')])).rejects.toMatchObject({ code: 'refused' });
      await expect(writer.append([record(topic, 'a', { partition: 7 })])).rejects.toMatchObject({
        code: 'refused',
      });
      await writer.append([record(topic, 'b')]);
      expect((await everything(log, topic)).map(textOf)).toEqual(['b']);
    });

    it('sets the time of a record where the topic says so, never going back within a partition', async () => {
      const log = await trial().connect();
      const topic = await trial().topic(log, { timestamps: 'append' });
      const writer = log.writer();
      for (const own of [1000, undefined, 2000]) {
        await writer.append([record(topic, 'a', own === undefined ? {} : { timestamp: own })]);
      }
      const times = (await everything(log, topic)).map(({ timestamp }) => timestamp);
      expect(times).toEqual([...times].sort((one, other) => one - other));
      expect(Math.min(...times)).toBeGreaterThan(1_600_000_000_000);
    });

    it('keeps the writer’s time where the topic says so', async () => {
      const log = await trial().connect();
      const topic = await trial().topic(log, { timestamps: 'create', cleanup: 'keep', retentionMs: null });
      const positions = await log
        .writer()
        .append([
          record(topic, 'late', { timestamp: 1_700_000_002_000 }),
          record(topic, 'early', { timestamp: 1_700_000_001_000 }),
        ]);
      expect(positions.map(({ timestamp }) => timestamp)).toEqual([1_700_000_002_000, 1_700_000_001_000]);
      const times = (await everything(log, topic)).map(({ timestamp }) => timestamp);
      expect(times).toEqual([1_700_000_002_000, 1_700_000_001_000]);
    });

    it('lets several writers append side by side', async () => {
      const [one, other] = [await trial().connect(), await trial().connect()];
      const topic = await trial().topic(one);
      const writers = [one.writer(), other.writer(), one.writer()];
      await Promise.all(
        writers.flatMap((writer) => [writer.append(numbered(topic, 5)), writer.append(numbered(topic, 5))]),
      );
      const records = await everything(other, topic);
      expect(records).toHaveLength(30);
      expect(records.map(({ offset }) => offset)).toEqual(records.map((_, offset) => offset));
    });
  });
}
