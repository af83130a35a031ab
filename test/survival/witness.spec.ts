import type { Verdict } from '@loopwarden/detection';
import { type InRecord, partitionOf } from '@loopwarden/stream';
import { type MemoryBroker, seededScheduler } from '@loopwarden/stream/memory';
import { expect, it, vi } from 'vitest';
import { POLICIES } from '../simulation/calls.ts';
import { codec, memoryBroker, startDetector, TOPICS } from '../station.ts';
import { loopingFleet } from './fleet-events.ts';
import type { LoadReport } from './load-process.ts';
import { PARTITIONS } from './place.ts';
import { Witness } from './witness.ts';

const policy = { revision: 1, policy: POLICIES[0] ?? '', actor: 'op', reason: 'test', sequence: 1 };
const operator = { runId: '*', agentId: null, sessionId: null, gatewayId: 'operator', source: 'policy' };

/** A fleet's events, judged by a detector that nobody disturbed. */
async function judged(): Promise<{ broker: MemoryBroker; report: LoadReport }> {
  const broker = memoryBroker(PARTITIONS);
  const put = (partition: number, value: Uint8Array): void => {
    const record = { topic: TOPICS.events, partition, key: null, value };
    broker.partition(TOPICS.events, partition).append(record, { now: 1, timestamps: 'append' });
  };
  const applied = codec.encodeEvent({ ...operator, ...policy, type: 'policy', observedAt: 0 });
  for (let partition = 0; partition < PARTITIONS; partition += 1) put(partition, applied);
  const fleet = loopingFleet(['a', 'b', 'c'], seededScheduler(3).random);
  for (let turns = 0; turns < 200; turns += 1)
    for (const event of fleet.next()) put(partitionOf(event.runId, PARTITIONS), codec.encodeEvent(event));
  const { detector } = await startDetector(broker);
  const { committed } = broker.coordinator('detectors', TOPICS.events);
  await vi.waitFor(() => {
    for (const partition of ['a', 'b', 'c'].map((runId) => partitionOf(runId, PARTITIONS)))
      expect(committed.get(partition)?.offset).toBe(broker.partition(TOPICS.events, partition).range.end);
  });
  await detector.close();
  return { broker, report: { sequences: [...fleet.sequences], garbage: 0, failures: 0 } };
}

/** What a witness says when the control topic holds these records. */
async function testify(
  { broker, report }: Awaited<ReturnType<typeof judged>>,
  control: (records: readonly InRecord[]) => readonly InRecord[],
): Promise<readonly string[]> {
  const other = memoryBroker(PARTITIONS);
  const copy = (records: readonly InRecord[]): void => {
    for (const record of records)
      other
        .partition(record.topic, record.partition)
        .append(record, { now: record.timestamp, timestamps: 'create' });
  };
  for (let partition = 0; partition < PARTITIONS; partition += 1) {
    copy(broker.records(TOPICS.events, partition));
    copy(control(broker.records(TOPICS.control, partition)));
  }
  const log = other.connect('witness');
  const place = { kind: 'kafka', brokers: [], prefix: '', takeoverMs: null } as const;
  const { wrongs } = await new Witness(log, { place, group: 'detectors' }).testify(report);
  return wrongs;
}

const verdictOf = ({ value }: InRecord): Verdict | null => {
  const control = codec.decodeControl(value ?? new Uint8Array());
  return control.ok && control.value.type === 'verdict' ? control.value.verdict : null;
};

it('a witness has nothing to say of what was judged once, or in part twice', async () => {
  const world = await judged();
  expect(await testify(world, (records) => records)).toEqual([]);
  expect(await testify(world, (records) => [...records, ...records.slice(-5)])).toEqual([]);
});

it('a witness misses every verdict that is not there, and hears one in other words', async () => {
  const world = await judged();
  const without = (records: readonly InRecord[]) => {
    const last = records.findLastIndex((record) => verdictOf(record) !== null);
    return records.filter((_, at) => at !== last);
  };
  expect((await testify(world, without)).join()).toContain('is missing');
  const reworded = (records: readonly InRecord[]) =>
    records.map((record) => {
      const verdict = verdictOf(record);
      return verdict === null
        ? record
        : { ...record, value: codec.encodeVerdict({ ...verdict, count: verdict.count + 1 }) };
    });
  await expect(testify(world, reworded)).resolves.toContainEqual(expect.stringContaining('in other words'));
});

it('a witness misses events that were acknowledged', async () => {
  const { broker, report } = await judged();
  const [[runId, sequence] = ['', 0], ...others] = report.sequences;
  const claimed = { ...report, sequences: [[runId, sequence + 1] as const, ...others] };
  const wrongs = await testify({ broker, report: claimed }, (records) => records);
  expect(wrongs).toEqual([`${runId} ends at ${sequence}, not ${sequence + 1}`]);
});
