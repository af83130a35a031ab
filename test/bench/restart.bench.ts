import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCluster } from '../setup/cluster.ts';
import { flagsOf, openPlace, type Place, writeIds } from '../survival/place.ts';
import { type Bench, type Measure, median } from './measure.ts';
import { flushing } from './restart/flushing.ts';
import { makePast, type Past } from './restart/past.ts';
import { type Restart, restart } from './restart/restarting.ts';

const ROUNDS = 5;
/** Records in each window. */
const CALLS = 6;
const SNAPSHOTS = [10_000, 100_000, 1_000_000];
const FALLBACKS = [10_000, 100_000];
const FLUSHED = 100_000;

/**
 * How long a detector takes from the start of its process until it judges again, by live runs, on 12 partitions;
 * and what saving the state costs meanwhile.
 */
export const bench: Bench = async function* () {
  const folder = await mkdtemp(join(tmpdir(), 'loopwarden-bench-'));
  const cluster = await startCluster({ nodes: 1 });
  const places: readonly Place[] = [
    { kind: 'embedded', dir: join(folder, 'data'), prefix: '', takeoverMs: null },
    { kind: 'kafka', brokers: cluster.brokers, prefix: '', takeoverMs: null },
  ];
  for (const place of places) {
    for (const runs of SNAPSHOTS) yield* restarts(place, folder, { runs, kept: 'snapshot' });
    for (const runs of FALLBACKS) yield* restarts(place, folder, { runs, kept: 'events' });
    yield* flushing(place, { runs: FLUSHED, calls: CALLS });
  }
  await cluster.stop();
  await rm(folder, { recursive: true });
};

async function* restarts(
  anywhere: Place,
  folder: string,
  { runs, kept }: Pick<Past, 'runs' | 'kept'>,
): AsyncGenerator<Measure> {
  const name = randomUUID();
  const past: Past = { prefix: `${name}.`, group: name, runs, calls: CALLS, kept };
  const place = { ...anywhere, prefix: past.prefix };
  await writeIds(place, folder);
  const flags = flagsOf(place, folder);
  const log = await openPlace(place);
  await makePast(log, past);
  const samples: Restart[] = [];
  // The first start warms up.
  for (let number = 0; number <= ROUNDS; number += 1)
    samples.push(await restart({ log, past, flags, number }));
  await log.close();
  const what = kept === 'snapshot' ? 'from a snapshot' : 'from events';
  const told = (part: string, unit: string, of: (sample: Restart) => number): Measure => ({
    name: `restart, ${place.kind}, ${runs} runs ${what}${part}`,
    value: median(samples.slice(1).map(of)),
    ...{ unit, baseline: null, ratio: null, runs: ROUNDS },
  });
  yield told('', 'ms', ({ judging }) => judging);
  yield told(', processor', 'ms', ({ cpu }) => cpu);
  yield told(', memory', 'MB', ({ peak }) => peak / 1e6);
}
