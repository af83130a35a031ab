import type { Log } from '@loopwarden/stream';
import { kafkaLog } from '@loopwarden/stream/kafka';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Cluster, startCluster } from '../../setup/cluster.ts';
import { kafkaUnderTest, uniqueName } from '../../setup/kafka.ts';
import { type Consumed, compare, consumedFrom, makeTopic, Traffic } from './traffic.ts';

const kafka = await kafkaUnderTest();
const PARTITIONS = 6;
const LIMIT = 120_000;
/** Long enough for a client to notice, short of its patience with an append. */
const AWAY_MS = 7_000;

describe.skipIf(kafka === null)('brokers that come to harm', () => {
  let cluster: Cluster;
  let single: Cluster;
  let log: Log;

  beforeAll(async () => {
    [cluster, single] = await Promise.all([startCluster({ nodes: 3 }), startCluster({ nodes: 1 })]);
    log = kafkaLog({
      brokers: cluster.brokers,
      timings: { request: 2_000, heartbeat: 500, session: 6_000, stall: 4_000 },
    });
  });

  afterAll(async () => {
    await log?.close();
    await Promise.all([cluster?.stop(), single?.stop()]);
  });

  /** Traffic through a group of one, with a group's commits. */
  const begin = async (on: Log) => {
    const topic = await makeTopic(on, uniqueName('cluster'), PARTITIONS);
    const consumed: Consumed[] = [];
    const failed = vi.fn();
    const group = await on.join(
      { group: uniqueName('cluster'), topic },
      {
        assigned: async ({ committed }) => committed?.offset ?? 0,
        lost: () => undefined,
        failed,
        batch: async ({ partition, records }) => {
          consumed.push(...records.map(consumedFrom));
          const offset = (records.at(-1)?.offset ?? 0) + 1;
          await group.commit(topic, partition, { offset, metadata: '{}' });
        },
      },
    );
    const traffic = new Traffic(on, { topic, partitions: PARTITIONS, every: 20 });
    await vi.waitFor(() => expect(consumed.length).toBeGreaterThan(200), { timeout: LIMIT });
    return { topic, consumed, failed, group, traffic };
  };

  const advances = async (consumed: readonly unknown[]): Promise<void> => {
    const before = consumed.length;
    await vi.waitFor(() => expect(consumed.length).toBeGreaterThan(before + 200), { timeout: LIMIT });
  };

  it('one of three killed in mid-stream, and back: nothing acknowledged is lost, each key keeps its order', async () => {
    const { topic, consumed, group, traffic } = await begin(log);
    await cluster.node(3).kill();
    await advances(consumed);
    await cluster.node(3).start();
    await advances(consumed);
    await traffic.stop();
    await vi.waitFor(() => expect(compare(traffic, consumed).lost).toEqual([]), { timeout: LIMIT });
    expect(compare(traffic, consumed).disordered).toEqual([]);
    const committed = await log.reader.committed('none', topic);
    expect(committed.size).toBe(0);
    await group.close();
  });

  it('one of three that stalls: the others take over, and it is back without harm', async () => {
    const { consumed, group, traffic } = await begin(log);
    cluster.node(2).pause();
    await advances(consumed);
    cluster.node(2).resume();
    await advances(consumed);
    await traffic.stop();
    await vi.waitFor(() => expect(compare(traffic, consumed).lost).toEqual([]), { timeout: LIMIT });
    expect(compare(traffic, consumed).disordered).toEqual([]);
    await group.close();
    await vi.waitFor(() => expect(log.health()).toMatchObject({ ok: true }), { timeout: LIMIT });
  });

  it('the only broker stalls: health says so, and everything goes on by itself when it is back', async () => {
    const alone = kafkaLog({
      brokers: single.brokers,
      timings: { request: 2_000, heartbeat: 500, session: 20_000, stall: 3_000 },
    });
    const { consumed, failed, group, traffic } = await begin(alone);
    expect(alone.health()).toMatchObject({ ok: true });
    single.node(1).pause();
    await new Promise((resolve) => setTimeout(resolve, AWAY_MS));
    expect(alone.health().ok).toBe(false);
    expect(alone.health().detail).toContain('Check that the brokers run');
    single.node(1).resume();
    await advances(consumed);
    await vi.waitFor(() => expect(alone.health()).toMatchObject({ ok: true }), { timeout: LIMIT });
    await traffic.stop();
    await vi.waitFor(() => expect(compare(traffic, consumed).lost).toEqual([]), { timeout: LIMIT });
    expect(compare(traffic, consumed).disordered).toEqual([]);
    expect(failed).not.toHaveBeenCalled();
    await group.close();
    await alone.close();
  });

  it('appends that outlast the patience are unavailable, and the writer is of use again afterwards', async () => {
    const alone = kafkaLog({ brokers: single.brokers, timings: { request: 1_000, append: 3_000 } });
    const topic = await makeTopic(alone, uniqueName('patience'), 1);
    const writer = alone.writer();
    const record = { topic, partition: 0, key: null, value: Buffer.from('1') };
    await writer.append([record]);
    await single.node(1).kill();
    await expect(writer.append([record])).rejects.toMatchObject({ code: 'unavailable' });
    await single.node(1).start();
    const [position] = await writer.append([record]);
    expect(position?.offset).toBeGreaterThanOrEqual(1);
    await alone.close();
  });
});
