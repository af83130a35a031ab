import { randomUUID } from 'node:crypto';
import { runDetector, SILENT, systemTime, topicNames } from '@loopwarden/detector/parts';
import type { LogWriter } from '@loopwarden/stream';
import { openPlace, type Place } from '../../survival/place.ts';
import { type Measure, median } from '../measure.ts';
import { codec, PARTITIONS } from '../service/fleet.ts';
import { gateOf } from '../service/gate.ts';
import { appendTurn, makePast, type Past } from './past.ts';

const ROUNDS = 5;

interface Flushed {
  /** Milliseconds to judge one more call of every run. */
  readonly judging: number;
  /** Milliseconds of this thread until all was judged and saved. */
  readonly processor: number;
  /** Milliseconds until the last partition was saved. */
  readonly flush: number;
  /** Bytes of the state. */
  readonly bytes: number;
}

/** The same twice: with the state saved meanwhile, and with none. */
interface Sample {
  readonly saved: Flushed;
  readonly plain: Flushed;
}

/** One more call of every run is judged while the state is saved, beside the same where saving is refused. */
export async function* flushing(
  anywhere: Place,
  fleet: Pick<Past, 'runs' | 'calls'>,
): AsyncGenerator<Measure> {
  const samples: Sample[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const plain = await judge(anywhere, fleet, { saves: false });
    samples.push({ saved: await judge(anywhere, fleet, { saves: true }), plain });
  }
  const counted = samples.slice(1);
  const events = 2 * fleet.runs;
  const told = (what: string, unit: string, of: (sample: Sample) => [number, number?]): Measure => {
    const value = median(counted.map((sample) => of(sample)[0]));
    const limits = counted.flatMap((sample) => of(sample)[1] ?? []);
    const baseline = limits.length === 0 ? null : median(limits);
    const ratio = baseline === null ? null : value / baseline;
    const name = `flush, ${anywhere.kind}, ${fleet.runs} runs: ${what}`;
    return { name, value, unit, baseline, ratio, runs: ROUNDS };
  };
  const rate = ({ judging }: Flushed): number => (events / judging) * 1000;
  yield told('judging meanwhile', 'events/s', ({ saved, plain }) => [rate(saved), rate(plain)]);
  yield told('processor', 'ms', ({ saved, plain }) => [saved.processor - plain.processor]);
  yield told('until all is saved', 'ms', ({ saved }) => [saved.flush]);
  yield told('size', 'MB', ({ saved }) => [saved.bytes / 1e6]);
}

async function judge(
  anywhere: Place,
  fleet: Pick<Past, 'runs' | 'calls'>,
  { saves }: { saves: boolean },
): Promise<Flushed> {
  const name = randomUUID();
  const past: Past = { ...fleet, prefix: `${name}.`, group: name, kept: 'snapshot' };
  const log = await openPlace({ ...anywhere, prefix: past.prefix });
  await makePast(log, past);
  await appendTurn(log, past);
  const topics = topicNames(past.prefix);
  const ends = new Map(
    (await log.reader.ranges(topics.events)).map(({ partition, end }) => [partition, end]),
  );
  const [judged, saved] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let bytes = 0;
  const left = new Set(ends.keys());
  const facts = {
    ...SILENT,
    progress: (at: { partition: number; judged: number }) => {
      if (at.judged + 1 >= (ends.get(at.partition) ?? 0)) ends.delete(at.partition);
      if (ends.size === 0) judged.resolve();
    },
    saved: (at: { partition: number; bytes: number }) => {
      bytes += at.bytes;
      left.delete(at.partition);
      if (left.size === 0) saved.resolve();
    },
  };
  const restored = Promise.withResolvers<void>();
  const waiting = new Set<number>();
  const gate = gateOf(log, (partition) => {
    if (waiting.add(partition).size === PARTITIONS) restored.resolve();
  });
  const [writer, stateWriter] = [log.writer(), saves ? log.writer() : REFUSING];
  const around = { codec, findSchema: async () => null, operatorKeys: null, time: systemTime, facts };
  const context = { ...around, topics, reader: log.reader, writer, stateWriter, maxRuns: 1_000_000 };
  const detector = await runDetector({ context, log: gate.log, group: name, clientId: 'bench' });
  await restored.promise;
  gate.open();
  const start = performance.now();
  const before = process.threadCpuUsage();
  const since = (): number => performance.now() - start;
  const flush = saves ? saved.promise.then(since) : 0;
  const judging = await judged.promise.then(since);
  const saving = await flush;
  const { user, system } = process.threadCpuUsage(before);
  await detector.close();
  await log.close();
  return { judging, processor: (user + system) / 1000, flush: saving, bytes };
}

const REFUSING: LogWriter = {
  append: () => Promise.reject(new Error('This bench saves nothing.')),
  close: async () => undefined,
};
