import type { HostLogger } from './host.ts';

const PAUSE_MS = 10_000;

/** Says the same thing at most every ten seconds, and then how often it came meanwhile. */
export class Patience {
  readonly #last = new Map<string, { at: number; more: number }>();

  /** @param say gets what to add: how often it was left out since the last time */
  now(what: string, say: (more: string) => void): void {
    const last = this.#last.get(what);
    const now = performance.now(); // the time of day may be set back
    if (last !== undefined && now - last.at < PAUSE_MS) {
      last.more += 1;
      return;
    }
    this.#last.set(what, { at: now, more: 0 });
    say(last === undefined || last.more === 0 ? '' : ` (and ${last.more} more like it)`);
  }
}

/**
 * Hooks that throw nothing: what goes wrong in here must refuse no call and lose no output, so the host goes on as
 * if it was not there.
 * @param stir called with each
 */
export function calmly(logger: HostLogger, stir: () => void) {
  const patience = new Patience();
  const complain = (hook: string, error: unknown): undefined => {
    try {
      const reason = error instanceof Error ? error.message : String(error);
      patience.now(hook, (more) => logger.error(`Loopwarden failed in ${hook}${more}: ${reason}`));
    } catch {
      // It cannot be said what was wrong with what the host handed over.
    }
    return undefined;
  };
  return <A extends readonly unknown[], R>(hook: string, work: (...given: A) => R) =>
    (...given: A): R | undefined => {
      try {
        const done = work(...given);
        stir();
        if (!(done instanceof Promise)) return done;
        return done.catch((error: unknown) => complain(hook, error)) as R;
      } catch (error) {
        return complain(hook, error);
      }
    };
}
