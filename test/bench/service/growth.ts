import { randomUUID } from 'node:crypto';
import { topicNames } from '@loopwarden/detector/parts';
import type { Log } from '@loopwarden/stream';
import { type Measure, measure } from '../measure.ts';
import { appendTurn, makePast, type Past } from '../restart/past.ts';
import { freshTopics, PARTITIONS } from './fleet.ts';
import { detectTogether, weighRestored } from './members.ts';
import { fill } from './throughput.ts';

const RUNS = 1_000;
/** What is put side by side: processes and partitions. */
const SHAPES = [
  [1, 1],
  [1, PARTITIONS],
  [1, 4 * PARTITIONS],
  [2, PARTITIONS],
] as const;
const WEIGHED_RUNS = 100_000;
const FULL_WINDOW = 30;

interface Broker {
  readonly log: Log;
  readonly brokers: readonly string[];
}

/** Throughput of detectors in processes of their own, restored before the clock begins. */
export async function* growth({ log, brokers }: Broker, events: number): AsyncGenerator<Measure> {
  for (const [processes, partitions] of SHAPES) {
    yield await measure({
      name: `service throughput, processes: ${processes}, partitions: ${partitions}`,
      unit: 'events/s',
      sample: async () => {
        const prefix = `bench-${randomUUID()}.`;
        const topics = await freshTopics(log, { prefix, partitions });
        await fill(log, topics, { events, runs: RUNS, partitions });
        return detectTogether({ log, brokers, prefix, topics }, processes);
      },
    });
  }
}

/** Bytes of heap and buffers of a live run at a full window, in a detector that has restored it. */
export function memory({ log, brokers }: Broker): Promise<Measure> {
  return measure({
    name: `service memory, ${WEIGHED_RUNS} runs, windows of ${FULL_WINDOW}`,
    unit: 'B/run',
    sample: async () => {
      const prefix = `bench-${randomUUID()}.`;
      const topics = topicNames(prefix);
      const past: Past = {
        ...{ prefix, group: topics.events, runs: WEIGHED_RUNS, calls: FULL_WINDOW, kept: 'snapshot' },
      };
      await makePast(log, past);
      // One more event in each partition, so that each has something to wait with.
      await appendTurn(log, { ...past, runs: PARTITIONS });
      return (await weighRestored({ log, brokers, prefix, topics }, PARTITIONS)) / WEIGHED_RUNS;
    },
  });
}
