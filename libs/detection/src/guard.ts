import type { Settings } from './settings.ts';

/** Watches the first outcomes after a compaction. */
export interface Guard {
  /** How many outcomes it was armed for. */
  size: number;
  /** Outcomes still to come; 0: not armed. */
  remaining: number;
  /** The first triple of tool, arguments and outcome since arming. */
  first: string | null;
  allEqual: boolean;
}

export function unarmedGuard(): Guard {
  return { size: 0, remaining: 0, first: null, allEqual: true };
}

/** A guard armed anew, that knows nothing of the time before (openclaw-semantics 12.2). */
export function armedGuard(size: number): Guard {
  return { size, remaining: size, first: null, allEqual: true };
}

/**
 * One recorded outcome. Returns whether the guard fires: as many outcomes as it was armed for, all one and
 * the same triple.
 */
export function observeOutcome(guard: Guard, triple: string, settings: Settings): boolean {
  if (guard.remaining === 0 || settings.enabled === false) return false;
  guard.remaining -= 1;
  guard.first ??= triple;
  guard.allEqual &&= guard.first === triple;
  return guard.remaining === 0 && guard.allEqual;
}
