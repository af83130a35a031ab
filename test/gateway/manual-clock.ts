import type { Clock } from '@loopwarden/gateway';

interface Waiting {
  readonly at: number;
  readonly task: () => void;
}

/** A clock that stands still until the test moves it; what falls due on the way is called in order. */
export class ManualClock implements Clock {
  #now: number;
  #waiting: Waiting[] = [];

  constructor(start = 1_800_000_000_000) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  later(milliseconds: number, task: () => void): () => void {
    const entry = { at: this.#now + milliseconds, task };
    this.#waiting.push(entry);
    return () => {
      this.#waiting = this.#waiting.filter((other) => other !== entry);
    };
  }

  advance(milliseconds: number): void {
    const until = this.#now + milliseconds;
    for (let next = this.#dueBefore(until); next !== undefined; next = this.#dueBefore(until)) {
      this.#waiting = this.#waiting.filter((entry) => entry !== next);
      this.#now = Math.max(this.#now, next.at);
      next.task();
    }
    this.#now = until;
  }

  #dueBefore(until: number): Waiting | undefined {
    return this.#waiting.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
  }
}
