/** The time, and a way to be called later. Tests bring their own. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Calls back once after the milliseconds; returns how to call that off. */
  later(milliseconds: number, task: () => void): () => void;
}

/** The machine's own time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  later(milliseconds, task) {
    const timer = setTimeout(task, milliseconds);
    return () => clearTimeout(timer);
  },
};

/** A time that somebody waits until, at most. */
interface Deadline {
  readonly passed: Promise<void>;
  readonly over: boolean;
  callOff(): void;
}

export function deadlineIn(milliseconds: number, clock: Clock): Deadline {
  const { promise: passed, resolve } = Promise.withResolvers<void>();
  let over = false;
  const callOff = clock.later(milliseconds, () => {
    over = true;
    resolve();
  });
  return {
    passed,
    get over() {
      return over;
    },
    callOff,
  };
}
