import { LogError } from '../log.ts';
import type { Fault, Operation, Surroundings } from './fault.ts';

/** Does what was asked; `midway` asks for half of it. */
type Effect<T> = (midway: boolean) => T;

/**
 * The line between a process and the broker. Requests arrive in the order they were sent, answers in any
 * order. Once the process crashed nothing is sent and no answer is heard: its promises stay pending, so that
 * its code stops at its next await, as if it were dead.
 */
export class Line {
  readonly process: string;
  readonly #surroundings: Surroundings;
  readonly #requests: (() => void)[] = [];
  #crashed = false;

  constructor(process: string, surroundings: Surroundings) {
    this.process = process;
    this.#surroundings = surroundings;
  }

  get crashed(): boolean {
    return this.#crashed;
  }

  crash(): void {
    this.#crashed = true;
  }

  ask<T>(kind: Operation['kind'], topic: string, effect: Effect<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#crashed) return;
      const fault = this.#surroundings.faults({ process: this.process, kind, topic }) ?? {};
      this.#requests.push(() => {
        const answer = perform(effect, fault, { resolve, reject });
        void (fault.until ?? Promise.resolve()).then(() => this.tell(answer));
      });
      this.#surroundings.schedule(() => this.#requests.shift()?.());
    });
  }

  /** Lets the process hear of something, unless it is dead by then. */
  tell(heard: () => void): void {
    this.#surroundings.schedule(() => {
      if (!this.#crashed) heard();
    });
  }
}

interface Settle<T> {
  resolve(value: T): void;
  reject(error: unknown): void;
}

/** Does what was asked, as far as the fault lets it, and returns the answer to give. */
function perform<T>(effect: Effect<T>, { fail }: Fault, { resolve, reject }: Settle<T>): () => void {
  if (fail === 'before') return () => reject(injected());
  try {
    const value = effect(fail === 'midway');
    return fail === undefined ? () => resolve(value) : () => reject(injected());
  } catch (error) {
    return () => reject(error);
  }
}

function injected(): LogError {
  return new LogError('unavailable', 'The log did not answer. Try again.');
}
