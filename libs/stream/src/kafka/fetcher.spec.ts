import type { Broker } from 'kafkajs/src/cluster/index.js';
import { describe, expect, it, vi } from 'vitest';
import type { InRecord } from '../record.ts';
import type { Brokers } from './brokers.ts';
import type { Connection } from './connection.ts';
import type { Feed } from './feed.ts';
import { Fetcher } from './fetcher.ts';
import { Health } from './health.ts';
import { defaultTimings } from './options.ts';

const LIMIT = 100;
const LEADER = 1;
const LONG_MS = 60_000;

interface Asked {
  readonly maxWaitTime: number;
  readonly topics: readonly { readonly partitions: readonly { readonly partition: number }[] }[];
}

/** A fetcher whose one broker answers as told, and the partitions of each request to it. */
function fetcherOf(answer: (partitions: readonly number[]) => readonly number[]) {
  const asked: { partitions: readonly number[]; waitMs: number }[] = [];
  const ends = new Map<number, number>();
  const fetched = (partition: number) => {
    const offset = ends.get(partition) ?? 0;
    ends.set(partition, offset + 1);
    const place = { topic: 't', partition };
    const record: InRecord = { ...place, offset, timestamp: 0, key: null, value: null, headers: {} };
    return { ...place, errorCode: 0, end: offset + 1, records: [record], next: offset + 1 };
  };
  const send = async ({ topics, maxWaitTime }: Asked) => {
    const partitions = topics.flatMap((topic) => topic.partitions.map(({ partition }) => partition));
    asked.push({ partitions, waitMs: maxWaitTime });
    await new Promise((resolve) => setImmediate(resolve));
    return { responses: [{ topicName: 't', partitions: answer(partitions).map(fetched) }] };
  };
  const broker = { lookupRequest: () => (request: unknown) => request, connectionPool: { send } };
  const brokers = {
    leaderOf: () => LEADER,
    broker: async () => broker as unknown as Broker,
  } as unknown as Brokers;
  const connection = { timings: defaultTimings, say: () => undefined } as unknown as Connection;
  const fetcher = new Fetcher(brokers, connection, new Health(1_000, () => undefined));
  return { fetcher, asked };
}

/** Reads what comes, as a reader that is never behind, until the feed is closed. */
async function read(feed: Feed, seen: InRecord[]): Promise<void> {
  for (let offset = 0; ; ) {
    const { records } = await feed.slice({ offset, limit: LIMIT });
    const last = records.at(-1);
    if (last === undefined) return;
    seen.push(...records);
    offset = last.offset + 1;
    await feed.grown({ end: offset, signal: AbortSignal.timeout(LONG_MS) });
  }
}

describe('fetching for many partitions of one broker', () => {
  it('asks first for those that were not served last: a full answer keeps none out', async () => {
    const room = 2;
    const { fetcher } = fetcherOf((partitions) => partitions.slice(0, room));
    const seen: InRecord[] = [];
    for (const partition of [0, 1, 2, 3, 4]) void read(fetcher.open('t', partition), seen);
    await vi.waitFor(() => expect(seen.length).toBeGreaterThan(50));
    fetcher.close();
    const counts = [0, 1, 2, 3, 4].map((own) => seen.filter(({ partition }) => partition === own).length);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(2);
  });

  it('waits for no records of the others while it looks for the one that is damaged', async () => {
    const { fetcher, asked } = fetcherOf((partitions) => {
      if (partitions.includes(2)) throw new RangeError('damaged');
      return [];
    });
    const failures: unknown[] = [];
    for (const partition of [0, 1, 2, 3])
      void read(fetcher.open('t', partition), []).catch((error: unknown) => failures.push(error));
    await vi.waitFor(() => expect(failures).toHaveLength(1));
    fetcher.close();
    expect(failures[0]).toMatchObject({ code: 'corrupt', message: expect.stringContaining('Partition 2') });
    const alone = asked.filter(({ partitions }) => partitions.length === 1);
    expect(alone.map(({ partitions }) => partitions[0])).toEqual(expect.arrayContaining([0, 1, 2]));
    for (const { waitMs } of alone) expect(waitMs).toBeLessThanOrEqual(10);
  });
});
