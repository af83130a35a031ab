import { kafkaLog } from '@loopwarden/stream/kafka';
import { Kafka, logLevel } from 'kafkajs';
import { startCluster } from '../setup/cluster.ts';
import { type Bench, type Measure, measure, median } from './measure.ts';
import { freshTopics } from './service/fleet.ts';
import { growth, memory } from './service/growth.ts';
import { type Latency, relayLatency, verdictLatency } from './service/latency.ts';
import { decodeBare, detect, fill } from './service/throughput.ts';

/** Enough that joining a group and restoring its partitions, a tenth of a second, hardly counts. */
const EVENTS = 600_000;
const ROUNDS = 5;

/** The detector on a real broker, beside what a bare client can do there in the same run. */
export const bench: Bench = async function* () {
  const cluster = await startCluster({ nodes: 1 });
  const { brokers } = cluster;
  const log = kafkaLog({ brokers });
  const kafka = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING });
  for (const runs of [1_000, 100_000]) {
    let topics = await freshTopics(log);
    yield await measure({
      name: `service throughput, ${runs} runs`,
      unit: 'events/s',
      sample: async () => detect(log, topics),
      // The same events: the bare consumer leaves them as they are.
      baseline: async () => {
        topics = await freshTopics(log);
        await fill(log, topics, { events: EVENTS, runs });
        return decodeBare(kafka, topics, EVENTS);
      },
    });
  }
  yield* growth({ log, brokers }, EVENTS);
  yield await memory({ log, brokers });
  for (const rate of [200, 1_000, 5_000])
    yield* latencies(rate, {
      sample: () => verdictLatency(log, rate),
      baseline: () => relayLatency(log, kafka, rate),
    });
  await log.close();
  await cluster.stop();
};

/** Both quantiles of the same runs; verdicts and relay take turns. */
async function* latencies(
  rate: number,
  { sample, baseline }: { sample: () => Promise<Latency>; baseline: () => Promise<Latency> },
): AsyncGenerator<Measure> {
  const values: Latency[] = [];
  const limits: Latency[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    limits.push(await baseline());
    values.push(await sample());
  }
  for (const quantile of ['p50', 'p99'] as const) {
    const value = median(values.map((latency) => latency[quantile]));
    const limit = median(limits.map((latency) => latency[quantile]));
    const name = `service latency ${quantile} at ${rate} events/s`;
    yield { name, value, unit: 'ms', baseline: limit, ratio: value / limit, runs: ROUNDS };
  }
}
