import { verdictId } from '@loopwarden/detection';
import { type MemoryBroker, seededScheduler } from '@loopwarden/stream/memory';
import { beforeAll, describe, expect, it } from 'vitest';
import { expect as undisturbed } from './simulation/expected.ts';
import { type Recorded, record, replayTo, underOnePolicy } from './simulation/recorded.ts';
import { codec, memoryBroker, startDetector, TOPICS } from './station.ts';

const EVENTS = 2_500;
let recorded: Recorded;
let steady: Recorded;

beforeAll(async () => {
  recorded = await record(1, EVENTS);
  steady = underOnePolicy(recorded);
}, 60_000);

/** Verdict bodies by run, in order, each once. */
type Bodies = Readonly<Record<string, readonly string[]>>;

function group(verdicts: Iterable<readonly [id: string, body: Uint8Array]>): Bodies {
  const bodies: Record<string, string[]> = {};
  for (const [id, body] of new Map(verdicts)) {
    const runId = id.slice(0, id.indexOf('/'));
    bodies[runId] = [...(bodies[runId] ?? []), Buffer.from(body).toString('base64')];
  }
  return bodies;
}

/** What a plain fold says. */
function plain({ ledger }: Recorded): Bodies {
  return group((undisturbed(ledger, 0, 0) ?? []).map(({ id, body }) => [id, body]));
}

function* published(broker: MemoryBroker, partitions: number): Generator<readonly [string, Uint8Array]> {
  for (let partition = 0; partition < partitions; partition += 1) {
    for (const { value } of broker.records(TOPICS.control, partition)) {
      const control = codec.decodeControl(value ?? new Uint8Array());
      if (!control.ok || control.value.type !== 'verdict' || value === null) continue;
      yield [verdictId(control.value.verdict), value];
    }
  }
}

interface Way {
  readonly partitions: number;
  readonly batchSize: number;
  /** How often the detector is replaced by another, at random points. */
  readonly restarts: number;
}

/** Judges the events by detectors on a log. */
async function judged(of: Recorded, { partitions, batchSize, restarts }: Way): Promise<Bodies> {
  const { random } = seededScheduler(partitions * 1000 + batchSize + restarts);
  const broker = memoryBroker(partitions);
  replayTo(broker, of, partitions);
  for (let life = 0; life <= restarts; life += 1) {
    const { promise, resolve } = Promise.withResolvers<void>();
    let batches = 1 + Math.floor((random() * EVENTS) / batchSize / restarts);
    const last = life === restarts;
    const progress = (): void => {
      batches -= 1;
      if (last ? isThrough(broker, partitions) : batches <= 0 || isThrough(broker, partitions)) resolve();
    };
    const facts = { progress, committed: () => (isThrough(broker, partitions) ? resolve() : undefined) };
    const name = `detector-${life}`;
    const { detector, beat } = await startDetector(broker, { name, batchSize, facts });
    if (!isThrough(broker, partitions)) await promise;
    beat();
    if (random() < 0.5) await detector.close();
    else broker.crash(name);
  }
  return group(published(broker, partitions));
}

/** Whether everything is committed. */
function isThrough(broker: MemoryBroker, partitions: number): boolean {
  const { committed } = broker.coordinator('detectors', TOPICS.events);
  return Array.from({ length: partitions }, (_, partition) => partition).every((partition) => {
    const { end } = broker.partition(TOPICS.events, partition).range;
    return (committed.get(partition)?.offset ?? 0) >= end;
  });
}

describe('the same events give the same verdict bodies, byte for byte', () => {
  const batches = [1, 2, 13, 500, 5_000];

  it('(there are many, of every kind of run)', () => {
    const bodies = plain(recorded);
    expect(Object.keys(bodies)).toHaveLength(6);
    expect(Object.values(bodies).flat().length).toBeGreaterThan(500);
  });

  it.each(batches)('in batches of %i', { timeout: 60_000 }, async (batchSize) => {
    const way = { partitions: 1, batchSize, restarts: 0 };
    expect(await judged(recorded, way)).toEqual(plain(recorded));
  });

  it.each(batches)('in batches of %i, through five restarts', { timeout: 60_000 }, async (batchSize) => {
    const way = { partitions: 1, batchSize, restarts: 5 };
    expect(await judged(recorded, way)).toEqual(plain(recorded));
  });

  it.each([1, 3, 12])('in %i partitions while the policy stays', { timeout: 60_000 }, async (partitions) => {
    const wanted = plain(steady);
    expect(await judged(steady, { partitions, batchSize: 5_000, restarts: 0 })).toEqual(wanted);
    expect(await judged(steady, { partitions, batchSize: 3, restarts: 4 })).toEqual(wanted);
  });
});
