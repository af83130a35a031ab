import { partitionOf } from '@loopwarden/stream';
import { kafkaLog } from '@loopwarden/stream/kafka';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { kafkaUnderTest, uniqueName } from '../../setup/kafka.ts';
import { type Consumer, Consumers } from './consumer.ts';
import { compare, makeTopic, Traffic } from './traffic.ts';

const kafka = await kafkaUnderTest();
const PARTITIONS = 6;
const SESSION_MS = 6_000;
/** Far below the session, and above what a busy machine does to a stream of a batch each 20 ms or so. */
const GAP_MS = 1_500;
const LIMIT = 30_000;

describe.skipIf(kafka === null)('a group that is shared out anew', () => {
  const brokers = kafka?.brokers ?? [];
  const log = kafkaLog({ brokers });
  afterAll(() => log.close());

  const begin = async () => {
    const topic = await makeTopic(log, uniqueName('rebalance'), PARTITIONS);
    const consumers = new Consumers({ brokers, topic, group: uniqueName('rebalance'), session: SESSION_MS });
    const traffic = new Traffic(log, { topic, partitions: PARTITIONS, every: 20 });
    const caughtUp = async () => {
      await traffic.stop();
      await vi.waitFor(() => expect(compare(traffic, consumers.consumed).lost).toEqual([]), {
        timeout: LIMIT,
      });
    };
    return { consumers, traffic, caughtUp };
  };

  it('goes on with what stays while a killed member is missed and its successor waits', async () => {
    const { consumers, traffic, caughtUp } = await begin();
    const [one, other, victim] = [
      await consumers.start(5),
      await consumers.start(5),
      await consumers.start(5),
    ];
    const members = [one, other, victim];
    await victim.until(() => members.every((member) => member.owned().length === 2 && working(member)));
    const kept = [...one.owned(), ...other.owned()];
    const since = Date.now();
    victim.signal('SIGKILL');
    const heir = await consumers.start(5);
    await heir.until(() => heir.owned().length === 2 && working(heir));
    const until = Date.now();
    expect(until - since).toBeGreaterThan(SESSION_MS / 2);
    await caughtUp();

    const stayed = [one, other];
    expect([...one.owned(), ...other.owned()]).toEqual(kept);
    for (const member of stayed) {
      const said = member.said.filter(({ at }) => at >= since);
      const events = new Set(said.map(({ event }) => event));
      expect(events).toEqual(new Set(['batch', 'committed']));
      for (const event of ['batch', 'committed'] as const) {
        for (const partition of member.owned()) {
          expect(longestGap(member, { event, partition, since, until })).toBeLessThan(GAP_MS);
        }
      }
    }
    const { disordered } = compare(traffic, consumers.consumed);
    expect(disordered).toEqual([]);
    const ofKept = consumers.consumed.filter(({ key }) => kept.includes(partitionOf(key, PARTITIONS)));
    expect(compare(traffic, ofKept).repeated).toBe(0);
  });

  it('does not stop what stays when members come and go', async () => {
    const { consumers, traffic, caughtUp } = await begin();
    const first = await consumers.start(5);
    await first.until(() => first.owned().length === PARTITIONS && working(first));
    const since = Date.now();
    const second = await consumers.start(5);
    await first.until(() => first.owned().length === 3 && second.owned().length === 3 && working(second));
    const third = await consumers.start(5);
    await first.until(() => first.owned().length === 2 && third.owned().length === 2 && working(third));
    await second.leave();
    await first.until(() => first.owned().length === 3 && third.owned().length === 3);
    const until = Date.now();
    await caughtUp();

    const lost = first.said.flatMap(({ event, partition }) => (event === 'lost' ? [partition] : []));
    const stayed = first.owned().filter((partition) => !lost.includes(partition));
    expect(stayed).toHaveLength(2);
    for (const partition of stayed) {
      expect(longestGap(first, { event: 'batch', partition, since, until })).toBeLessThan(GAP_MS);
    }
    expect(compare(traffic, consumers.consumed)).toEqual({ lost: [], disordered: [], repeated: 0 });
    expect([first, second, third].map((member) => member.count('refused'))).toEqual([0, 0, 0]);
  });

  it('lets the batch in flight end and be committed before a partition changes hands', async () => {
    const topic = await makeTopic(log, uniqueName('rebalance'), 2);
    const group = uniqueName('rebalance');
    const writer = log.writer();
    await writer.append([0, 1].map((partition) => ({ topic, partition, key: 'a', value: Buffer.from('1') })));
    const finish = Promise.withResolvers<void>();
    const order: string[] = [];
    const begun = new Set<number>();
    const first = await log.join(
      { topic, group },
      {
        assigned: async () => 0,
        batch: async ({ partition }) => {
          begun.add(partition);
          await finish.promise;
          await first.commit(topic, partition, { offset: 1, metadata: 'mine' });
          order.push('first has committed');
        },
        lost: () => order.push('first has lost it'),
        failed: ({ message }) => order.push(message),
      },
    );
    await vi.waitFor(() => expect(begun.size).toBe(2), LIMIT);
    const second = await log.join(
      { topic, group },
      {
        assigned: async ({ committed }) => {
          order.push(`second has it behind ${committed?.offset} of ${committed?.metadata}`);
          return committed?.offset ?? 0;
        },
        batch: async () => void order.push('second has a batch'),
        lost: () => undefined,
        failed: ({ message }) => order.push(message),
      },
    );
    // Long enough for a rebalance to be through, twice.
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(order).toEqual([]);
    finish.resolve();
    await vi.waitFor(() => expect(order).toContain('second has it behind 1 of mine'), LIMIT);
    expect(order.filter((said) => said === 'first has committed')).toHaveLength(2);
    const moved = order.filter((said) => said !== 'first has committed');
    expect(moved).toEqual(['first has lost it', 'second has it behind 1 of mine']);
    await Promise.all([first.close(), second.close()]);
  });
});

/** True when the member has committed something of every partition that it owns. */
function working(member: Consumer): boolean {
  const begun = (partition: number) =>
    member.said.findLastIndex((said) => said.event === 'assigned' && said.partition === partition);
  return member
    .owned()
    .every((owned) =>
      member.said
        .slice(begun(owned))
        .some(({ event, partition }) => event === 'committed' && partition === owned),
    );
}

/** The longest time without an event of a partition, in milliseconds, ends of the span included. */
function longestGap(
  member: Consumer,
  of: { event: 'batch' | 'committed'; partition: number; since: number; until: number },
): number {
  const { since, until } = of;
  const times = member.said
    .filter(({ event, partition }) => event === of.event && partition === of.partition)
    .map(({ at }) => at)
    .filter((at) => at >= since && at <= until);
  const ends = [since, ...times, until];
  return Math.max(...ends.slice(1).map((at, index) => at - (ends[index] ?? at)));
}
