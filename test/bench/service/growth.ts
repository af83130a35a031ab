import { randomUUID } from 'node:crypto';
import { topicNames } from '@loopwarden/detector/parts';
import type { Log } from '@loopwarden/stream';
import { type Measure, measure, median } from '../measure.ts';
import { appendTurn, makePast, type Past } from '../restart/past.ts';
import { freshTopics, PARTITIONS } from './fleet.ts';
import { detectTogether, weighRestored } from './members.ts';
import { fill } from './throughput.ts';

const ROUNDS = 5;
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
    const samples: Awaited<ReturnType<typeof detectTogether>>[] = [];
    // The first warms up.
    for (let round = 0; round <= ROUNDS; round += 1) {
      const prefix = `bench-${randomUUID()}.`;
      const topics = await freshTopics(log, { prefix, partitions });
      await fill(log, topics, { events, runs: RUNS, partitions });
      samples.push(await detectTogether({ log, brokers, prefix, topics }, processes));
    }
    const told = (what: string, unit: string, of: (sample: (typeof samples)[0]) => number): Measure => ({
      name: `service ${what}, processes: ${processes}, partitions: ${partitions}`,
      value: median(samples.slice(1).map(of)),
      ...{ unit, baseline: null, ratio: null, runs: ROUNDS },
    });
    yield told('throughput', 'events/s', ({ rate }) => rate);
    yield told('work', 'events/CPU-s', ({ perCpuSecond }) => perCpuSecond);
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
