import type { Verdict } from '@loopwarden/detection';
import type { Desk } from './desk.ts';
import type { Since } from './fact.ts';
import type { ServedRun } from './served-run.ts';

/** Whether the verdicts of a run's partition are stale and this gateway does not enforce stale ones. */
export function isSpared({ options, progress }: Desk, { partition }: ServedRun): boolean {
  return options.onStale === 'open' && progress.isStale(partition);
}

/** Whether verdicts of the run are enforced at all. */
export function isEnforced(desk: Desk, run: ServedRun): boolean {
  return desk.inForce.policy.enforce && !isSpared(desk, run);
}

/** When verdicts arrived here. They are the keys, so that what no longer stands takes no room. */
const heardAt = new WeakMap<Verdict, number>();

export function noteHeard(verdict: Verdict, now: number): void {
  heardAt.set(verdict, now);
}

/** How long ago a verdict was made and heard. Clocks differ: never below zero. */
export function since({ options }: Desk, verdict: Verdict): Since {
  const now = options.clock.now();
  return {
    sinceVerdictMs: Math.max(0, now - verdict.at),
    sinceHeardMs: Math.max(0, now - (heardAt.get(verdict) ?? now)),
  };
}
