import { setTimeout as sleep } from 'node:timers/promises';
import type { LoopEvent } from '@loopwarden/detection';
import { LogError, type OutRecord, partitionOf } from '@loopwarden/stream';
import { seededScheduler } from '@loopwarden/stream/memory';
import { codec } from '../station.ts';
import { loopingFleet } from './fleet-events.ts';
import { openPlace, PARTITIONS, type Place } from './place.ts';

// Writes a fleet's events until SIGTERM, one request in flight; one that failed is sent again as it was. Its last
// line is a `LoadReport`.

export interface LoadOrder {
  readonly place: Place;
  readonly runs: readonly string[];
  readonly seed: number;
  readonly perSecond: number;
}

/** What the log has acknowledged. */
export interface LoadReport {
  /** The highest sequence of each run. */
  readonly sequences: readonly (readonly [string, number])[];
  /** Records that are no events. */
  readonly garbage: number;
  /** Appends that failed. */
  readonly failures: number;
}

const TICK_MS = 20;

const { place, runs, seed, perSecond } = JSON.parse(process.argv[2] ?? '') as LoadOrder;
const topic = `${place.prefix}events`;
const log = await openPlace(place);
const writer = log.writer();
const { random } = seededScheduler(seed);
const fleet = loopingFleet(runs, random);
let stopped = false;
let garbage = 0;
let failures = 0;
process.once('SIGTERM', () => {
  stopped = true;
});

while (!stopped) {
  await Promise.all([append(compose((perSecond * TICK_MS) / 1000)), sleep(TICK_MS)]);
}
const report: LoadReport = { sequences: [...fleet.sequences], garbage, failures };
console.log(JSON.stringify(report));
await log.close();

/** Events, among them some that stand twice, and seldom what is no event at all. */
function compose(limit: number): readonly OutRecord[] {
  const records: OutRecord[] = [];
  while (records.length < limit) {
    for (const event of fleet.next()) {
      const record = recordOf(event);
      records.push(record, ...(random() < 0.03 ? [record] : []));
    }
    if (random() > 0.002) continue;
    garbage += 1;
    records.push({
      topic,
      partition: Math.floor(random() * PARTITIONS),
      key: null,
      value: Buffer.from('no event'),
    });
  }
  return records;
}

function recordOf(event: LoopEvent): OutRecord {
  const { runId } = event;
  const headers = random() < 0.1 ? { 'lw-mark': '1' } : {};
  const value = codec.encodeEvent(event);
  return { topic, partition: partitionOf(runId, PARTITIONS), key: runId, value, headers };
}

/** Again and again, also while the log is away or full. */
async function append(records: readonly OutRecord[]): Promise<void> {
  for (;;) {
    try {
      await writer.append(records);
      return;
    } catch (failure) {
      if (!(failure instanceof LogError)) throw failure;
      failures += 1;
      console.log(failure.message);
      await sleep(100);
    }
  }
}
