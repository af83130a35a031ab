import { partitionOf } from '@loopwarden/stream';
import { kafkaLog } from '@loopwarden/stream/kafka';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { kafkaUnderTest, uniqueName } from '../../setup/kafka.ts';
import { type Consumer, Consumers } from './consumer.ts';
import { compare, makeTopic, Traffic } from './traffic.ts';

const kafka = await kafkaUnderTest();
const PARTITIONS = 6;
const SESSION_MS = 10_000;
/** From the start of its program to work on every partition. */
const BACK_MS = 2_000;
const BATCH = 50;
const LIMIT = 30_000;

describe.skipIf(kafka === null)('members of a group that go by an instance', () => {
  const brokers = kafka?.brokers ?? [];
  const log = kafkaLog({ brokers });
  afterAll(() => log.close());

  const begin = async () => {
    const topic = await makeTopic(log, uniqueName('instance'), PARTITIONS);
    const consumers = new Consumers({ brokers, topic, group: uniqueName('instance'), session: SESSION_MS });
    const traffic = new Traffic(log, { topic, partitions: PARTITIONS, every: 20 });
    const caughtUp = async () => {
      await traffic.stop();
      await vi.waitFor(() => expect(compare(traffic, consumers.consumed).lost).toEqual([]), {
        timeout: LIMIT,
      });
      return compare(traffic, consumers.consumed);
    };
    return { consumers, traffic, caughtUp };
  };

  it.each([
    { who: 'the one that shares out', victim: 0 },
    { who: 'another one', victim: 2 },
  ])('$who is killed and starts again: it works at once, and nobody else notices', async ({ victim }) => {
    const { consumers, traffic, caughtUp } = await begin();
    const members: Consumer[] = [];
    for (const instance of ['a', 'b', 'c']) members.push(await consumers.start(5, instance));
    const [killed, ...rest] = [...members.splice(victim, 1), ...members];
    if (killed === undefined) throw new Error('nobody to kill');
    await killed.until(() => [killed, ...rest].every((one) => one.owned().length === 2 && working(one)));
    const mine = killed.owned();
    const kept = rest.flatMap((one) => one.owned());
    const since = Date.now();
    killed.signal('SIGKILL');
    const heir = await consumers.start(5, 'abc'[victim]);
    await heir.until(() => heir.owned().length === 2 && working(heir));
    expect(Date.now() - begunAt(heir)).toBeLessThan(BACK_MS);
    expect(Date.now() - since).toBeLessThan(SESSION_MS / 2);
    expect(heir.owned()).toEqual(mine);
    // Long enough for the rebalance in which it tells the others.
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    for (const one of rest) {
      const events = new Set(one.said.filter(({ at }) => at >= since).map(({ event }) => event));
      expect(events).toEqual(new Set(['batch', 'committed']));
    }
    expect(rest.flatMap((one) => one.owned())).toEqual(kept);
    // The group goes on being shared out, also by the one that has come back.
    const [leaver, stays] = rest;
    await leaver?.leave();
    await heir.until(() => heir.owned().length === 3 && stays?.owned().length === 3, SESSION_MS / 2);
    const { disordered, repeated } = await caughtUp();

    expect(heir.count('lost')).toBe(0);
    expect(disordered).toEqual([]);
    expect(repeated).toBeLessThanOrEqual(mine.length * BATCH);
    const ofOthers = consumers.consumed.filter(({ key }) => !mine.includes(partitionOf(key, PARTITIONS)));
    expect(compare(traffic, ofOthers).repeated).toBe(0);
  });

  it('one that is killed while it gives partitions up leaves none of them to nobody', async () => {
    const { consumers, caughtUp } = await begin();
    // Its batches outlast what happens meanwhile.
    const victim = await consumers.start(3_000, 'a');
    await victim.until(() => victim.owned().length === PARTITIONS && working(victim));
    const other = await consumers.start(5, 'b');
    expect(other.owned()).toEqual([]);
    victim.signal('SIGKILL');
    const heir = await consumers.start(5, 'a');
    await heir.until(() => heir.owned().length === 3 && other.owned().length === 3, SESSION_MS / 2);
    expect((await caughtUp()).disordered).toEqual([]);
  });

  it('of two that go by one instance the older stops for good, and says so', async () => {
    const { consumers, traffic, caughtUp } = await begin();
    const older = await consumers.start(100, 'a');
    await older.until(() => older.owned().length === PARTITIONS && working(older));
    // In the middle of a batch, so that there is something to commit on waking up.
    const batches = older.count('batch');
    await older.until(() => older.count('batch') > batches);
    older.signal('SIGSTOP');
    const newer = await consumers.start(5, 'a');
    await newer.until(() => newer.owned().length === PARTITIONS && working(newer), SESSION_MS / 2);
    const slept = older.said.length;
    older.signal('SIGCONT');
    await older.until(() => older.count('failed') > 0);
    await new Promise((resolve) => setTimeout(resolve, 3_000));

    expect(older.said.filter(({ event }) => event === 'failed')).toMatchObject([{ code: 'replaced' }]);
    expect(older.owned()).toEqual([]);
    const woke = older.said.slice(slept);
    const over = woke.findIndex(({ event }) => event === 'failed');
    const after = new Set(woke.slice(over + 1).map(({ event }) => event));
    expect([...after].filter((event) => event !== 'lost' && event !== 'refused')).toEqual([]);
    const refused = woke.filter(({ event }) => event === 'refused');
    expect(refused.length).toBeGreaterThan(0);
    expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(['fenced']));
    await older.leave();
    await caughtUp();
    expect(newer.count('lost')).toBe(0);
    expect(newer.count('refused')).toBe(0);
    expect(compare(traffic, consumers.consumed).lost).toEqual([]);
  });

  it('one that leaves in good order hands over at once', async () => {
    const { consumers, caughtUp } = await begin();
    const [leaver, stays] = [await consumers.start(5, 'a'), await consumers.start(5, 'b')];
    await leaver.until(() => [leaver, stays].every((one) => one.owned().length === 3 && working(one)));
    await leaver.leave();
    await stays.until(() => stays.owned().length === PARTITIONS, SESSION_MS / 2);
    expect(await caughtUp()).toEqual({ lost: [], disordered: [], repeated: 0 });
  });
});

/** True when the member has committed something of every partition that it owns. */
function working(member: Consumer): boolean {
  const committed = new Set(
    member.said.filter(({ event }) => event === 'committed').map(({ partition }) => partition),
  );
  return member.owned().every((partition) => committed.has(partition));
}

function begunAt(member: Consumer): number {
  return member.said.find(({ event }) => event === 'begun')?.at ?? Number.NEGATIVE_INFINITY;
}
