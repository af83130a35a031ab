import { describe, expect, it } from 'vitest';
import { join } from './consuming.ts';
import { groupName, numbered, record, type Trial } from './driver.ts';
import { gate } from './member.ts';

/** What several members of one group may rely on. */
export function sharingPromises(trial: () => Trial): void {
  describe('several members of a group', () => {
    it('have one owner per partition, and hear each committed record once', async () => {
      const [log, second] = [await trial().connect(), await trial().connect()];
      const at = { topic: await trial().topic(log, { partitions: 4 }), group: groupName() };
      const one = await join(log, at);
      await trial().eventually(() => expect(one.member.owned()).toEqual([0, 1, 2, 3]));
      const other = await join(second, at);
      const { sharing } = trial().driver.capabilities;
      await trial().eventually(() => {
        const [mine, theirs] = [one.member.owned(), other.member.owned()];
        expect([...mine, ...theirs].sort()).toEqual([0, 1, 2, 3]);
        expect(theirs).toHaveLength(sharing ? 2 : 0);
      });
      const partitions = [0, 1, 2, 3];
      await log.writer().append(partitions.map((partition) => record(at.topic, 'a', { partition })));
      await trial().eventually(() =>
        expect([...one.member.heard, ...other.member.heard].sort()).toEqual(['0:a', '1:a', '2:a', '3:a']),
      );
    });

    it('take over where the member that left had committed', async () => {
      const [log, second] = [await trial().connect(), await trial().connect()];
      const at = { topic: await trial().topic(log, { partitions: 2 }), group: groupName() };
      const texts = [...numbered(at.topic, 4), ...numbered(at.topic, 4, { partition: 1 })];
      await log.writer().append(texts);
      const one = await join(log, at);
      await trial().eventually(() => expect(one.member.heard).toHaveLength(8));
      await one.group.commit(at.topic, 0, { offset: 4, metadata: 'zero' });
      await one.group.commit(at.topic, 1, { offset: 3, metadata: 'one' });
      const other = await join(second, at);
      await one.group.close();
      await trial().eventually(() => expect(other.member.owned()).toEqual([0, 1]));
      await trial().eventually(() => expect(other.member.heard).toContain('1:3'));
      expect(one.member.owned()).toEqual([]);
      expect(other.member.heard).not.toContain('0:3');
      const metadata = other.member.assigned.map(({ committed }) => committed?.metadata).sort();
      expect(metadata).toEqual(['one', 'zero']);
    });

    it('never process a partition at once: the next owner waits for the batch in flight', async () => {
      const [log, second] = [await trial().connect(), await trial().connect()];
      const at = { topic: await trial().topic(log), group: groupName() };
      await log.writer().append(numbered(at.topic, 3));
      const [begun, finish] = [gate(), gate()];
      const order: string[] = [];
      const one = await join(log, at, {
        batch: async () => {
          begun.open();
          await finish.opened;
          order.push('first is through');
        },
        lost: () => order.push('first lost it'),
      });
      await begun.opened;
      const other = await join(second, at, {
        assigned: async () => {
          order.push('second has it');
          return 0;
        },
      });
      const leaving = one.group.close();
      finish.open();
      await leaving;
      await trial().eventually(() => expect(other.member.heard).toHaveLength(3));
      expect(order).toEqual(['first is through', 'first lost it', 'second has it']);
    });

    it('refuse the commit of one that lost the partition while it was away', async ({ skip }) => {
      const { driver } = trial();
      const expel = driver.expel?.bind(driver);
      if (expel === undefined) return skip('this driver cannot stage a session timeout');
      const [log, second] = [await trial().connect(), await trial().connect()];
      const at = { topic: await trial().topic(log), group: groupName() };
      await log.writer().append(numbered(at.topic, 3));
      const [begun, finish] = [gate(), gate()];
      const zombie = await join(log, at, {
        batch: async () => {
          begun.open();
          await finish.opened;
        },
      });
      await begun.opened;
      const other = await join(second, at);
      await expel(log);
      await trial().eventually(() => expect(other.member.heard).toHaveLength(3));
      await other.group.commit(at.topic, 0, { offset: 3, metadata: 'owner' });
      const late = zombie.group.commit(at.topic, 0, { offset: 1, metadata: 'zombie' });
      await expect(late).rejects.toMatchObject({ code: 'fenced' });
      await trial().eventually(() => expect(zombie.member.lost).toEqual([0]));
      expect(zombie.member.assigned[0]?.signal.aborted).toBe(true);
      expect((await second.reader.committed(at.group, at.topic)).get(0)).toEqual({
        offset: 3,
        metadata: 'owner',
      });
      finish.open();
    });

    it('refuse a commit by one that does not own the partition', async () => {
      const [log, second] = [await trial().connect(), await trial().connect()];
      const at = { topic: await trial().topic(log), group: groupName() };
      const one = await join(log, at);
      await trial().eventually(() => expect(one.member.owned()).toEqual([0]));
      const waiting = await join(second, at);
      const commit = waiting.group.commit(at.topic, 0, { offset: 0, metadata: '' });
      await expect(commit).rejects.toMatchObject({ code: 'fenced' });
    });

    it('hear of appends made while nobody was there', async () => {
      const log = await trial().connect();
      const at = { topic: await trial().topic(log), group: groupName() };
      const one = await join(log, at);
      await trial().eventually(() => expect(one.member.owned()).toEqual([0]));
      await one.group.commit(at.topic, 0, { offset: 0, metadata: 'begun' });
      await one.group.close();
      await log.writer().append(numbered(at.topic, 2));
      const next = await join(log, at);
      await trial().eventually(() => expect(next.member.heard).toEqual(['0:0', '0:1']));
    });
  });
}
