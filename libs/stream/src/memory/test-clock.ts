/** Epoch milliseconds from somewhere. */
export interface Clock {
  now(): number;
}

/** A clock that stands still until the test moves it. */
export interface TestClock extends Clock {
  /** Moves by milliseconds; a negative number steps back, as machines' clocks do. */
  advance(milliseconds: number): void;
}

export function testClock(start = 1_800_000_000_000): TestClock {
  let now = start;
  return {
    now: () => now,
    advance(milliseconds) {
      now += milliseconds;
    },
  };
}
