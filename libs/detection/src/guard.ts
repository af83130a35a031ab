import type { Settings } from './settings.ts';

/** Watches the first outcomes after a compaction. */
export interface Guard {
  /** Outcomes still to come; 0: not armed. */
  remaining: number;
  /** How often each triple of tool, arguments and outcome came since arming, first seen first. */
  seen: { readonly triple: string; count: number }[];
}

/**
 * Different triples that an armed guard counts at most. With an unchanged policy only the first one matters:
 * the guard fires when all outcomes are equal.
 */
const TRIPLES_MAX = 64;

export function unarmedGuard(): Guard {
  return { remaining: 0, seen: [] };
}

/** A guard armed anew, that knows nothing of the time before (as OpenClaw 2026.7 does). */
export function armedGuard(windowSize: number): Guard {
  return { remaining: windowSize, seen: [] };
}

/**
 * One recorded outcome. Returns how often its triple came since arming when that makes the guard fire, else
 * 0. The size in force now decides, not the one it was armed with (as OpenClaw 2026.7 does).
 */
export function observeOutcome(guard: Guard, triple: string, settings: Settings): number {
  if (guard.remaining === 0 || settings.enabled === false) return 0;
  guard.remaining -= 1;
  const matches = countTriple(guard, triple);
  if (guard.remaining > 0 && matches < settings.windowSize) return 0;
  guard.remaining = 0;
  guard.seen = [];
  return matches >= settings.windowSize ? matches : 0;
}

function countTriple({ seen }: Guard, triple: string): number {
  const known = seen.find((entry) => entry.triple === triple);
  if (known !== undefined) {
    known.count += 1;
    return known.count;
  }
  if (seen.length < TRIPLES_MAX) seen.push({ triple, count: 1 });
  return 1;
}
