import { setImmediate } from 'node:timers';

/** Runs a task later. Everything that happens in a memory log passes through one, so that a test owns the order. */
export type Schedule = (task: () => void) => void;

/** Runs tasks in the order they came, each in a turn of the event loop. */
export const inOrder: Schedule = (task) => {
  setImmediate(task);
};

/** A scheduler whose order is the seed's: the same seed and program give the same run. */
export interface SeededScheduler {
  readonly schedule: Schedule;
  /** A number in [0, 1) of the same seed, for faults and crashes. */
  random(): number;
  /** Runs one pending task, whichever the seed says, and lets what follows from it settle. False: none was pending. */
  step(): Promise<boolean>;
  /** Steps until nothing is pending or the condition holds. */
  run(until?: () => boolean): Promise<void>;
}

export function seededScheduler(seed: number): SeededScheduler {
  const random = seededRandom(seed);
  const pending: (() => void)[] = [];
  const step = async (): Promise<boolean> => {
    const [task] = pending.splice(Math.floor(random() * pending.length), 1);
    if (task === undefined) return false;
    task();
    await settled();
    return true;
  };
  return {
    schedule: (task) => {
      pending.push(task);
    },
    random,
    step,
    async run(until = () => false) {
      await settled();
      while (!until() && (await step()));
    },
  };
}

/** Numbers in [0, 1) from a 32-bit seed (mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Resolves once all promise reactions have run. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
