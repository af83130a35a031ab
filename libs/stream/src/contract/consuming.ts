import { describe, expect, it } from 'vitest';
import type { GroupHandlers, Log, LogGroup } from '../log.ts';
import { groupName, numbered, record, type Trial } from './driver.ts';
import { gate, type RecordingMember, recordingMember } from './member.ts';

interface Joined {
  readonly member: RecordingMember;
  readonly group: LogGroup;
}

export async function join(
  log: Log,
  at: { topic: string; group: string },
  overrides: Partial<GroupHandlers> = {},
): Promise<Joined> {
  const member = recordingMember(overrides);
  return { member, group: await log.join({ ...at, batchSize: 10 }, member.handlers) };
}

export function consumingPromises(trial: () => Trial): void {
  describe('consuming in a group', () => {
    it('assigns every partition, then delivers its records in order', async () => {
      const log = await trial().connect();
      const at = { topic: await trial().topic(log, { partitions: 3 }), group: groupName() };
      const writer = log.writer();
      await writer.append(numbered(at.topic, 25));
      const { member } = await join(log, at);
      await writer.append(numbered(at.topic, 5, { partition: 2 }));
      await trial().eventually(() => expect(member.heard).toHaveLength(30));
      expect(member.owned()).toEqual([0, 1, 2]);
      const inPartition = (partition: number): readonly string[] =>
        member.heard.filter((heard) => heard.startsWith(`${partition}:`));
      expect(inPartition(0)).toEqual(Array.from({ length: 25 }, (_, number) => `0:${number}`));
      expect(inPartition(2)).toEqual(Array.from({ length: 5 }, (_, number) => `2:${number}`));
      expect(member.assigned.map(({ topic, committed }) => ({ topic, committed }))).toEqual(
        Array.from({ length: 3 }, () => ({ topic: at.topic, committed: null })),
      );
      for (const { records, end } of member.batches) {
        expect(records.length).toBeLessThanOrEqual(10);
        expect(end).toBeGreaterThan(records.at(-1)?.offset ?? Number.POSITIVE_INFINITY);
      }
    });

    it('begins where the handler says', async () => {
      const log = await trial().connect();
      const at = { topic: await trial().topic(log), group: groupName() };
      await log.writer().append(numbered(at.topic, 5));
      const { member } = await join(log, at, { assigned: async () => 3 });
      await trial().eventually(() => expect(member.heard).toEqual(['0:3', '0:4']));
    });

    it('delivers a partition’s next batch only when the last one resolved; partitions go side by side', async () => {
      const log = await trial().connect();
      const at = { topic: await trial().topic(log, { partitions: 2 }), group: groupName() };
      await log.writer().append([...numbered(at.topic, 30), ...numbered(at.topic, 30, { partition: 1 })]);
      const held = gate();
      const { member } = await join(log, at, {
        batch: async ({ partition }) => (partition === 0 ? held.opened : undefined),
      });
      const of = (partition: number): number =>
        member.heard.filter((heard) => heard.startsWith(`${partition}:`)).length;
      await trial().eventually(() => expect(of(1)).toBe(30));
      await trial().eventually(() => expect(of(0)).toBeGreaterThan(0));
      expect(of(0)).toBeLessThanOrEqual(10);
      held.open();
      await trial().eventually(() => expect(of(0)).toBe(30));
    });

    it('restores partitions side by side with the delivery of others', async () => {
      const log = await trial().connect();
      const at = { topic: await trial().topic(log, { partitions: 2 }), group: groupName() };
      await log.writer().append([record(at.topic, 'a'), record(at.topic, 'b', { partition: 1 })]);
      const restored = gate();
      const { member } = await join(log, at, {
        assigned: async ({ partition }) => {
          if (partition === 0) await restored.opened;
          return 0;
        },
      });
      await trial().eventually(() => expect(member.heard).toEqual(['1:b']));
      restored.open();
      await trial().eventually(() => expect(member.heard).toEqual(['1:b', '0:a']));
    });

    it('remembers commits with their metadata, for the next assignment and for readers', async () => {
      const log = await trial().connect();
      const at = { topic: await trial().topic(log, { partitions: 2 }), group: groupName() };
      await log.writer().append(numbered(at.topic, 4));
      const { member, group } = await join(log, at);
      await trial().eventually(() => expect(member.heard).toHaveLength(4));
      await group.commit(at.topic, 0, { offset: 1, metadata: 'early' });
      await group.commit(at.topic, 0, { offset: 3, metadata: '{"lineage":7}' });
      expect(await log.reader.committed(at.group, at.topic)).toEqual(
        new Map([[0, { offset: 3, metadata: '{"lineage":7}' }]]),
      );
      await group.close();
      expect([...member.lost].sort()).toEqual([0, 1]);
      expect(member.assigned.every(({ signal }) => signal.aborted)).toBe(true);

      const next = await join(log, at);
      await trial().eventually(() => expect(next.member.heard).toEqual(['0:3']));
      const committed = new Map(
        next.member.assigned.map((assignment) => [assignment.partition, assignment.committed]),
      );
      expect(committed.get(0)).toEqual({ offset: 3, metadata: '{"lineage":7}' });
      expect(committed.get(1) ?? null).toBeNull();
    });

    it('keeps groups apart', async () => {
      const log = await trial().connect();
      const topic = await trial().topic(log);
      await log.writer().append(numbered(topic, 2));
      const [one, other] = [
        { topic, group: groupName() },
        { topic, group: groupName() },
      ];
      const first = await join(log, one);
      const second = await join(log, other);
      await trial().eventually(() =>
        expect([first.member.heard.length, second.member.heard.length]).toEqual([2, 2]),
      );
      await first.group.commit(topic, 0, { offset: 2, metadata: '' });
      expect(await log.reader.committed(other.group, topic)).toEqual(new Map());
    });

    it('gives a partition up when its batch fails, and delivers again from where the handler says', async () => {
      const log = await trial().connect();
      const at = { topic: await trial().topic(log, { partitions: 2 }), group: groupName() };
      await log.writer().append([...numbered(at.topic, 6), record(at.topic, 'calm', { partition: 1 })]);
      let failing = true;
      const joined: Joined = await join(log, at, {
        batch: async ({ partition }) => {
          if (partition !== 0 || !failing) return;
          failing = false;
          await joined.group.commit(at.topic, 0, { offset: 2, metadata: 'half' });
          throw new TypeError('a handler’s defect');
        },
      });
      const { member } = joined;
      await trial().eventually(() =>
        expect(member.assigned.filter(({ partition }) => partition === 0)).toHaveLength(2),
      );
      const heard = (): readonly string[] => member.heard.filter((text) => text.startsWith('0:'));
      await trial().eventually(() => {
        expect(heard().slice(-4)).toEqual(['0:2', '0:3', '0:4', '0:5']);
        expect(heard().indexOf('0:2')).toBeLessThan(heard().length - 4);
      });
      expect(member.lost).toContain(0);
      expect(member.failures.map(({ code }) => code)).toContain('handler');
      expect(member.assigned.findLast(({ partition }) => partition === 0)?.committed?.offset).toBe(2);
      expect(member.heard).toContain('1:calm');
    });

    it('tries an assignment again that was rejected', async () => {
      const log = await trial().connect();
      const at = { topic: await trial().topic(log), group: groupName() };
      await log.writer().append(numbered(at.topic, 1));
      let attempts = 0;
      const { member } = await join(log, at, {
        assigned: async () => {
          attempts += 1;
          if (attempts === 1) throw new Error('no state yet');
          return 0;
        },
      });
      await trial().eventually(() => expect(member.heard).toEqual(['0:0']));
      expect(member.assigned).toHaveLength(2);
      expect(member.assigned[0]?.signal.aborted).toBe(true);
      expect(member.lost).toEqual([0]);
      expect(member.failures).toHaveLength(1);
    });

    it('leaves after the batch in flight, whose commit still counts', async () => {
      const log = await trial().connect();
      const at = { topic: await trial().topic(log), group: groupName() };
      await log.writer().append(numbered(at.topic, 3));
      const [begun, finish] = [gate(), gate()];
      const joined: Joined = await join(log, at, {
        batch: async ({ records }) => {
          begun.open();
          await finish.opened;
          await joined.group.commit(at.topic, 0, {
            offset: (records.at(-1)?.offset ?? 0) + 1,
            metadata: 'last',
          });
        },
      });
      await begun.opened;
      const leaving = joined.group.close();
      finish.open();
      await leaving;
      expect((await log.reader.committed(at.group, at.topic)).get(0)?.metadata).toBe('last');
      await expect(joined.group.commit(at.topic, 0, { offset: 0, metadata: '' })).rejects.toMatchObject({
        code: 'fenced',
      });
    });

    it('interrupts a restore when the member leaves', async () => {
      const log = await trial().connect();
      const at = { topic: await trial().topic(log), group: groupName() };
      const { member, group } = await join(log, at, {
        assigned: ({ signal }) =>
          new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      });
      await trial().eventually(() => expect(member.owned()).toEqual([0]));
      await group.close();
      expect(member.lost).toEqual([0]);
      expect(member.failures).toEqual([]);
    });

    it('refuses a group on an unknown topic', async () => {
      const log = await trial().connect();
      const topic = `${await trial().topic(log)}.no`;
      await expect(join(log, { topic, group: groupName() })).rejects.toMatchObject({ code: 'refused' });
    });
  });
}
