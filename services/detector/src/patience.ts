import { LogError, type LogErrorCode } from '@loopwarden/stream';
import type { Time } from './time.ts';

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;

interface Patience {
  readonly time: Time;
  readonly signal: AbortSignal;
  /** Told why the work waits, and null when it goes on. */
  readonly waiting: (detail: string | null) => void;
}

/** What passes by itself, or by an operator's hand: giving the partition up would help nobody. */
const PASSING: ReadonlySet<string> = new Set<LogErrorCode>(['unavailable', 'full']);

/**
 * Repeats work that failed because something cannot be reached or a disk is full, with growing pauses, until it
 * succeeds or the signal aborts: then the failure is thrown, as any other is at once.
 */
export async function untilReachable<T>(
  work: () => Promise<T>,
  { time, signal, waiting }: Patience,
): Promise<T> {
  let pause = FIRST_PAUSE_MS;
  for (;;) {
    try {
      const done = await work();
      if (pause > FIRST_PAUSE_MS) waiting(null);
      return done;
    } catch (failure) {
      if (!(failure instanceof LogError) || !PASSING.has(failure.code) || signal.aborted) throw failure;
      waiting(failure.message);
      await time.pause(pause, signal).catch(() => {
        throw failure;
      });
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    }
  }
}
