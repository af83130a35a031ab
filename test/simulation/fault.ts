import type { Fault, Faults, Operation } from '@loopwarden/stream/memory';
import { TOPICS } from '../station.ts';
import type { SimulatedProcess } from './process.ts';
import type { World } from './world.ts';

/** How often an operation fails, and how often its answer is late. */
const FAILS: Readonly<Record<Operation['kind'], number>> = {
  append: 0.06,
  commit: 0.06,
  read: 0.003,
  group: 0,
  admin: 0,
};
const LATE = 0.05;
const WAYS = ['before', 'midway', 'after'] as const;

type Chances = Pick<World, 'random' | 'schedule'> & {
  readonly processes: readonly SimulatedProcess[];
  isCalm(): boolean;
};

/** What goes wrong with operations: failures at every point, late answers, and none while a process is frozen. */
export function failing({ random, schedule, isCalm, processes }: Chances): Faults {
  const late = (turns: number): Promise<void> =>
    new Promise((resolve) => {
      const wait = (left: number): void => schedule(() => (left > 0 ? wait(left - 1) : resolve()));
      wait(turns);
    });
  return ({ process, kind, topic }): Fault | undefined => {
    const frozen = processes.find(({ name }) => name === process)?.frozen;
    if (frozen !== undefined) return { until: frozen.thawed };
    if (isCalm()) return undefined;
    const chance = random();
    const fails = FAILS[kind] * (topic === TOPICS.state ? 2 : 1);
    if (chance < fails) return { fail: WAYS[Math.floor(random() * WAYS.length)] as (typeof WAYS)[number] };
    return chance < fails + LATE ? { until: late(Math.floor(random() * 20)) } : undefined;
  };
}
