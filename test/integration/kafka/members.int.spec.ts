import { kafkaLog } from '@loopwarden/stream/kafka';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { kafkaUnderTest, uniqueName } from '../../setup/kafka.ts';
import { Consumers } from './consumer.ts';
import { compare, makeTopic, Traffic } from './traffic.ts';

const kafka = await kafkaUnderTest();
const PARTITIONS = 6;
const LIMIT = 30_000;

describe.skipIf(kafka === null)('members of a group that come to harm', () => {
  const brokers = kafka?.brokers ?? [];
  const log = kafkaLog({ brokers });
  afterAll(() => log.close());

  const begin = async (every: number) => {
    const topic = await makeTopic(log, uniqueName('members'), PARTITIONS);
    const consumers = new Consumers({ brokers, topic, group: uniqueName('members') });
    const traffic = new Traffic(log, { topic, partitions: PARTITIONS, every });
    const caughtUp = async () => {
      await traffic.stop();
      await vi.waitFor(() => expect(compare(traffic, consumers.consumed).lost).toEqual([]), {
        timeout: LIMIT,
      });
    };
    return { topic, consumers, traffic, caughtUp };
  };

  it('one killed in the middle of its batches: the others repeat what it had not committed, no more', async () => {
    const { consumers, traffic, caughtUp } = await begin(20);
    const victim = await consumers.start(50);
    const heir = await consumers.start(50);
    await victim.until(() => victim.count('committed') > 10);
    await heir.until(() => heir.count('committed') > 10);
    victim.signal('SIGKILL');
    await heir.until(() => heir.said.filter(({ event }) => event === 'assigned').length >= PARTITIONS);
    await caughtUp();
    const { disordered, repeated } = compare(traffic, consumers.consumed);
    expect(disordered).toEqual([]);
    // One batch in flight per partition of the victim, of at most 50 records.
    expect(repeated).toBeLessThanOrEqual((PARTITIONS / 2) * 50);
  });

  it('one that sleeps beyond its session: its late commits are refused, and it comes back as a new member', async () => {
    const { topic, consumers, traffic, caughtUp } = await begin(20);
    const sleeper = await consumers.start(100);
    const awake = await consumers.start(0);
    await sleeper.until(() => sleeper.count('committed') > 5);
    // In the middle of a batch, so that there is something to commit on waking up.
    const batches = sleeper.count('batch');
    await sleeper.until(() => sleeper.count('batch') > batches);
    sleeper.signal('SIGSTOP');
    const slept = sleeper.said.length;
    await awake.until(() => awake.count('assigned') >= PARTITIONS);
    await awake.until(() => awake.count('committed') > 20);
    sleeper.signal('SIGCONT');
    await sleeper.until(() => sleeper.said.slice(slept).some(({ event }) => event === 'assigned'));
    const woke = sleeper.said.slice(slept);
    const refused = woke.filter(({ event }) => event === 'refused');
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.every(({ code }) => code === 'fenced')).toBe(true);
    const reassigned = woke.findIndex(({ event }) => event === 'assigned');
    // Answers that came before it slept are read first: what it sends once awake is refused.
    const awoke = woke.findIndex(({ event }) => event === 'refused');
    expect(woke.slice(awoke, reassigned).filter(({ event }) => event === 'committed')).toEqual([]);
    await caughtUp();
    expect(compare(traffic, consumers.consumed).disordered).toEqual([]);
    const ranges = await log.reader.ranges(topic);
    expect(ranges.reduce((sum, { end }) => sum + end, 0)).toBe(traffic.count);
  });

  it('two that join and leave while all are busy: nothing is repeated, what stays is not restored', async () => {
    const { consumers, traffic, caughtUp } = await begin(20);
    const first = await consumers.start(10);
    await first.until(() => first.count('committed') > 20);
    const owned = () => first.count('assigned') - first.count('lost');
    // One change at a time: two at once may be settled in either order.
    const second = await consumers.start(10);
    await second.until(() => second.count('committed') > 20);
    const third = await consumers.start(10);
    await third.until(() => third.count('committed') > 20);
    await second.leave();
    await first.until(() => owned() === PARTITIONS / 2);
    await third.leave();
    await first.until(() => owned() === PARTITIONS);
    await caughtUp();
    const { disordered, repeated } = compare(traffic, consumers.consumed);
    expect({ disordered, repeated }).toEqual({ disordered: [], repeated: 0 });
    // Of six it gave up three, then one more, and got four back.
    expect(first.count('lost')).toBe(4);
    expect(first.count('failed') + second.count('failed') + third.count('failed')).toBe(0);
  });
});
