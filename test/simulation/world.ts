import { type MemoryBroker, seededScheduler, type TestClock, testClock } from '@loopwarden/stream/memory';
import { memoryBroker } from '../station.ts';
import { failing } from './fault.ts';
import { type Ledger, openLedger } from './ledger.ts';
import type { SimulatedProcess } from './process.ts';

/**
 * What may happen to a world. `whole`: the events log keeps its beginning; nothing else is safe. `trimmed`: it
 * loses its beginning too, so that lineages begin. `bounded`: detectors hold few runs. `upgraded`: there are
 * detectors of two engines. `foreign`: there are detectors that save in two formats, and each reads its own.
 * `rolling`: the newer ones read the older format too, and the log keeps what the older ones need.
 */
export type Mode = 'whole' | 'trimmed' | 'bounded' | 'upgraded' | 'foreign' | 'rolling';

/** In these no lineage may begin but the first. */
export const UNBROKEN: ReadonlySet<Mode> = new Set(['whole', 'bounded', 'foreign', 'rolling']);

/** One simulated world. All that happens in it follows from its seed. */
export interface World {
  readonly seed: number;
  readonly mode: Mode;
  readonly partitions: number;
  readonly maxRuns: number;
  readonly clock: TestClock;
  readonly broker: MemoryBroker;
  readonly processes: SimulatedProcess[];
  /** Processes that died; their groups may not know it yet. */
  readonly dead: string[];
  readonly ledger: Ledger;
  /** What must be ended with the world, so that nothing of it stays in memory. */
  readonly endings: (() => void)[];
  /** Nothing goes wrong any more. */
  calm: boolean;
  /** Detectors that were ever started. */
  started: number;
  random(): number;
  schedule(task: () => void): void;
  /** Runs one pending task; false: none was pending. */
  step(): Promise<boolean>;
  /** Writes a line of the trace; costs nothing while nobody reads it. */
  tell(line: () => string): void;
}

/** What the checks look at: a log, and what an observer has written down of it. */
export type Seen = Pick<World, 'broker' | 'ledger' | 'partitions'>;

/** Keeps neighbouring seeds from beginning alike. */
const SPREAD = 0x9e3779b1;

export function openWorld(seed: number, trace: string[] | null): World {
  const { schedule, step, random } = seededScheduler(Math.imul(seed, SPREAD));
  const clock = testClock();
  const mode = modeOf(random());
  const maxRuns = mode === 'bounded' ? 2 : 1000;
  const partitions = 1 + Math.floor(random() * 3);
  const processes: SimulatedProcess[] = [];
  const faults = failing({ random, schedule, isCalm: () => world.calm, processes });
  const world: World = {
    seed,
    mode,
    partitions,
    maxRuns,
    clock,
    broker: memoryBroker(partitions, { clock, schedule, faults }),
    processes,
    dead: [],
    endings: [],
    ledger: openLedger(partitions, maxRuns),
    calm: false,
    started: 0,
    random,
    schedule,
    step,
    tell: (line) => void trace?.push(line()),
  };
  return world;
}

function modeOf(chance: number): Mode {
  const modes: readonly (readonly [Mode, number])[] = [
    ['whole', 0.3],
    ['trimmed', 0.55],
    ['bounded', 0.63],
    ['upgraded', 0.75],
    ['foreign', 0.83],
  ];
  return modes.find(([, until]) => chance < until)?.[0] ?? 'rolling';
}

/** One of the values, as the seed says. */
export function pick<T>({ random }: Pick<World, 'random'>, values: readonly T[]): T {
  return values[Math.floor(random() * values.length)] as T;
}

/** True as often as the chance says, from 0 to 1. */
export function happens({ random }: Pick<World, 'random'>, chance: number): boolean {
  return random() < chance;
}

/** A whole number from 0 to below the limit. */
export function below({ random }: Pick<World, 'random'>, limit: number): number {
  return Math.floor(random() * limit);
}

/** One of the values, as often as its weight says. */
export function pickWeighted<T extends { readonly weight: number }>(
  { random }: Pick<World, 'random'>,
  values: readonly T[],
): T {
  let left = random() * values.reduce((sum, { weight }) => sum + weight, 0);
  for (const value of values) {
    left -= value.weight;
    if (left < 0) return value;
  }
  return values.at(-1) as T;
}
