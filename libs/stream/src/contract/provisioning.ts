import { describe, expect, it } from 'vitest';
import { everything, numbered, record, type Trial, textOf, topicSpec } from './driver.ts';

export function provisioningPromises(trial: () => Trial): void {
  describe('provisioning', () => {
    it('plans what is missing without creating it', async () => {
      const log = await trial().connect();
      const spec = topicSpec({ partitions: 3 });
      expect(await log.admin.plan([spec])).toEqual([
        { topic: spec.name, setting: 'partitions', expected: '3', actual: null },
      ]);
      expect(await log.admin.topics()).not.toContain(spec.name);
    });

    it('creates what is missing, once', async () => {
      const log = await trial().connect();
      const specs = [
        topicSpec({ partitions: 3 }),
        topicSpec({ cleanup: 'compact', retentionMs: null }),
        topicSpec({ cleanup: 'keep', retentionMs: null, timestamps: 'create' }),
      ];
      expect(await log.admin.apply(specs)).toEqual([]);
      expect(await log.admin.plan(specs)).toEqual([]);
      expect(await log.admin.topics()).toEqual(expect.arrayContaining(specs.map(({ name }) => name)));
      expect(await log.reader.ranges(specs[0]?.name ?? '')).toHaveLength(3);
      expect(await log.admin.apply(specs)).toEqual([]);
    });

    it('finds and repairs settings that drifted', async () => {
      const log = await trial().connect();
      const spec = topicSpec({ retentionMs: 604_800_000 });
      await log.admin.apply([spec]);
      const changed = { ...spec, retentionMs: 86_400_000 };
      expect(await log.admin.plan([changed])).toEqual([
        { topic: spec.name, setting: 'retentionMs', expected: '86400000', actual: '604800000' },
      ]);
      expect(await log.admin.apply([changed])).toEqual([]);
      await trial().eventually(async () => expect(await log.admin.plan([changed])).toEqual([]));
    });

    it('never changes a partition count, shrinks or deletes: that drift remains', async () => {
      const log = await trial().connect();
      const spec = topicSpec({ partitions: 2 });
      await log.admin.apply([spec]);
      await log.writer().append(numbered(spec.name, 3, { partition: 1 }));
      for (const partitions of [1, 4]) {
        const drift = { topic: spec.name, setting: 'partitions', expected: String(partitions), actual: '2' };
        expect(await log.admin.apply([{ ...spec, partitions }])).toEqual([drift]);
      }
      await log.admin.apply([topicSpec()]);
      expect(await log.reader.ranges(spec.name)).toHaveLength(2);
      expect(await everything(log, spec.name, 1)).toHaveLength(3);
    });
  });

  describe('closing', () => {
    it('ends reads, refuses appends and leaves what was acknowledged to others', async () => {
      const [closing, staying] = [await trial().connect(), await trial().connect()];
      const topic = await trial().topic(closing);
      const writer = closing.writer();
      await writer.append([record(topic, 'kept')]);
      const following = (async () => {
        for await (const _ of closing.reader.read({ topic, partition: 0, from: 'end', until: 'never' }));
      })();
      await closing.close();
      await following;
      await expect(writer.append([record(topic, 'late')])).rejects.toMatchObject({ code: 'closed' });
      expect((await everything(staying, topic)).map(textOf)).toEqual(['kept']);
      await closing.close();
    });

    it('closes one writer alone', async () => {
      const log = await trial().connect();
      const topic = await trial().topic(log);
      const [one, other] = [log.writer(), log.writer()];
      await one.close();
      await expect(one.append([record(topic, 'a')])).rejects.toMatchObject({ code: 'closed' });
      await other.append([record(topic, 'b')]);
      expect((await everything(log, topic)).map(textOf)).toEqual(['b']);
    });

    it('is healthy while it is open', async () => {
      const log = await trial().connect();
      await trial().topic(log);
      expect(log.health().ok).toBe(true);
    });
  });
}
