import { setTimeout as sleep } from 'node:timers/promises';

/** The waiting that a detector does; handed in, so that tests own it. Judging knows no clock at all. */
export interface Time {
  /** Calls `tick` again and again until the signal aborts; never if it has. */
  every(milliseconds: number, tick: () => void, signal: AbortSignal): void;
  /** Resolves after the time; rejects when the signal aborts. */
  pause(milliseconds: number, signal: AbortSignal): Promise<void>;
}

export const systemTime: Time = {
  every(milliseconds, tick, signal) {
    if (signal.aborted) return;
    const timer = setInterval(tick, milliseconds);
    timer.unref();
    signal.addEventListener('abort', () => clearInterval(timer), { once: true });
  },
  pause: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }),
};
