import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { canonical, digest, type LoopEvent, restorePartition, savePartition } from '@loopwarden/detection';
import { fleetEvents } from './core/fleet.ts';
import { judgeAll, partitionOf, perThreadSecond } from './core/judging.ts';
import { payloadOf } from './core/payloads.ts';
import { megabytesOf, parseAndHash, recordedFleet, replayLines } from './core/replaying.ts';
import { type Bench, type Measure, measure } from './measure.ts';

/** Events whose rate is measured. */
const EVENTS = 400_000;
/** How often a partition is saved and restored for one number. */
const ROUNDS = 10;
const NEVER = Number.POSITIVE_INFINITY;
const KILOBYTE = 1_000;

/** The pure core by itself: rates, memory, digests, saved state; and replay, which is mostly the core. */
export const bench: Bench = async function* () {
  for (const runs of [1, 1_000, 100_000])
    yield* rate(`core, ${runs} runs, 1 in 100 loops`, { runs, looping: 100 });
  yield* rate('core, 1000 runs, 1 in 10 loops', { runs: 1_000, looping: 10 });
  for (const historySize of [30, 100, 1_000]) yield* fullWindows(historySize);
  yield* memory();
  yield* saved();
  for (const bytes of [200, 2_000, 20_000]) yield* digests(bytes);
  yield* replayed();
};

/** From empty windows on, as far as so many events go. */
async function* rate(
  name: string,
  { runs, looping }: { runs: number; looping: number },
): AsyncGenerator<Measure> {
  const calls = Math.max(4, Math.ceil(EVENTS / 2 / runs));
  const events = [...fleetEvents({ runs, calls, looping })];
  const sample = () => perThreadSecond(events.length, () => judgeAll(partitionOf(), events));
  yield await measure({ name, unit: 'events/s', sample });
}

/** A few honest runs whose windows are full all the time: of all sizes they fit into the same caches. */
async function* fullWindows(historySize: number): AsyncGenerator<Measure> {
  const runs = 4;
  const calls = historySize + EVENTS / 2 / runs;
  const events = [...fleetEvents({ runs, calls, looping: NEVER })];
  const filling = events.length - EVENTS;
  const sample = () => {
    const partition = partitionOf({ historySize });
    judgeAll(partition, events.slice(0, filling));
    const rest: readonly LoopEvent[] = events.slice(filling);
    return perThreadSecond(rest.length, () => judgeAll(partition, rest));
  };
  yield await measure({ name: `core, full windows of ${historySize}`, unit: 'events/s', sample });
}

async function* memory(): AsyncGenerator<Measure> {
  const full = {
    name: 'memory, 100000 runs, full windows',
    unit: 'B/run',
    sample: () => fleet(100_000, 40).perRun,
  };
  yield await measure(full);
  const short = {
    name: 'memory, 1000000 runs, 6 records',
    unit: 'B',
    sample: () => fleet(1_000_000, 6).peak,
  };
  yield await measure(short);
}

/** What a fleet costs, in a process of its own. */
function fleet(runs: number, calls: number): { perRun: number; peak: number } {
  const script = fileURLToPath(new URL('core/memory.ts', import.meta.url));
  const options = ['--expose-gc', '--disable-warning=ExperimentalWarning', script, `${runs}`, `${calls}`];
  return JSON.parse(execFileSync(process.execPath, options, { encoding: 'utf8' }));
}

/** Run states with full windows, all signatures different. */
async function* saved(): AsyncGenerator<Measure> {
  const runs = 2_000;
  const partition = partitionOf();
  judgeAll(partition, fleetEvents({ runs, calls: 40, looping: NEVER }));
  const whole = savePartition(partition);
  const { policy, maxRuns } = partition;
  const micros = (work: () => unknown) => () =>
    1_000_000 /
    perThreadSecond(runs * ROUNDS, () => {
      for (let round = 0; round < ROUNDS; round += 1) work();
    });
  const restore = () => restorePartition(whole, { policy, maxRuns });
  yield await measure({
    name: 'save of a run',
    unit: 'µs',
    sample: micros(() => savePartition(partition)),
    runs: 15,
  });
  yield await measure({ name: 'restore of a run', unit: 'µs', sample: micros(restore), runs: 15 });
  const bytes = whole.runs.reduce((sum, run) => sum + run.length, 0) / runs;
  yield await measure({ name: 'saved run', unit: 'B', sample: () => bytes });
}

const sha256 = (text: string): string => hash('sha256', text, 'hex');

/** Canonical form and digest of one payload, beside JSON and the same hash. */
async function* digests(bytes: number): AsyncGenerator<Measure> {
  const payload = payloadOf(bytes);
  const times = Math.ceil(4_000_000 / bytes);
  const repeat = (make: () => unknown) => () =>
    perThreadSecond(times, () => {
      for (let turn = 0; turn < times; turn += 1) make();
    });
  yield await measure({
    name: `digest of ${bytes / KILOBYTE} kB`,
    unit: '1/s',
    sample: repeat(() => digest(sha256, canonical(payload))),
    baseline: repeat(() => digest(sha256, JSON.stringify(payload))),
  });
}

/** A recording replayed, beside parsing its lines, writing them as JSON and hashing them. */
async function* replayed(): AsyncGenerator<Measure> {
  const lines = recordedFleet();
  const size = megabytesOf(lines);
  const perSecond = async (work: () => unknown) => {
    const before = process.threadCpuUsage();
    await work();
    const { user, system } = process.threadCpuUsage(before);
    return (size / (user + system)) * 1_000_000;
  };
  yield await measure({
    name: 'replay of a recording',
    unit: 'MB/s',
    sample: () => perSecond(() => replayLines(lines)),
    baseline: () => perSecond(() => parseAndHash(lines, sha256)),
  });
}
