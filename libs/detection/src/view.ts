import type { Digest } from './event.ts';
import {
  argsOf,
  countOf,
  indexOf,
  isFilled,
  isNewest,
  isPoll,
  latestFilled,
  olderOf,
  outcomeOf,
  placeAt,
  sameOutcome,
  sameTool,
  sizeOf,
  streakOf,
  tailOf,
  toolOf,
  type Window,
} from './records.ts';
import type { Settings } from './settings.ts';
import { signatureKey } from './verdict.ts';

/** What the window says of one signature. */
export interface Tally {
  readonly tool: string;
  readonly args: Digest;
  readonly key: string;
  /** Of its newest record. */
  readonly poll: boolean;
  /** Records, pending ones included. */
  readonly count: number;
  /** Newest outcomes in a row that are equal; pending records are passed over. */
  readonly streak: number;
  /** The newest outcome. */
  readonly outcome: string | null;
  /** Index of its oldest record. */
  readonly oldest: number;
}

/** Two signatures in turn at the end of the window; `other` is the one whose turn is next. */
interface Alternation {
  readonly last: Tally;
  readonly other: Tally;
  /** The alternating tail plus the call that would come next. */
  readonly count: number;
  /** Every record of the tail has an outcome, and each side only one. */
  readonly noProgress: boolean;
}

/** The unbroken end of the window in which one tool was reported missing. */
interface Miss {
  readonly tool: string;
  readonly missingTool: string;
  readonly streak: number;
  readonly oldest: number;
}

/** A window as the detectors read it: as far as some threshold is reached. */
export interface View {
  readonly tallies: readonly Tally[];
  readonly alternation: Alternation | null;
  readonly miss: Miss | null;
}

export function viewOf(window: Window, settings: Settings): View {
  return {
    tallies: loudSignatures(window, settings).map((place) => tally(window, place)),
    alternation: alternates(window, settings) ? alternationOf(window) : null,
    miss: missOf(window),
  };
}

/**
 * Whether no detector can have anything to say of a signature, nor of the end of the window.
 * @param newest the newest record of the signature
 */
export function isQuiet(window: Window, newest: number, settings: Settings): boolean {
  if (settings.enabled !== true) return true;
  if (isLoud(window, newest, settings) || alternates(window, settings)) return false;
  return missStreak(window) < settings.unknownToolThreshold;
}

/** Whether a signature, known by its newest record, reaches a threshold. */
function isLoud(window: Window, newest: number, settings: Settings): boolean {
  const { warningThreshold, genericRepeat } = settings;
  const count = countOf(window, newest);
  if (count < lowest(settings)) return false;
  if (genericRepeat && count >= warningThreshold && !isPoll(window, newest)) return true;
  return streakOf(window, newest) >= lowest(settings);
}

function lowest(settings: Settings): number {
  const { warningThreshold, criticalThreshold, globalCircuitBreakerThreshold } = settings;
  return Math.min(warningThreshold, criticalThreshold, globalCircuitBreakerThreshold);
}

function loudSignatures(window: Window, settings: Settings): number[] {
  const loud: number[] = [];
  let unseen = sizeOf(window);
  for (let index = unseen - 1; unseen > 0; index -= 1) {
    const place = placeAt(window, index);
    if (!isNewest(window, place)) continue;
    unseen -= countOf(window, place);
    if (isLoud(window, place, settings)) loud.push(place);
  }
  return loud;
}

function tally(window: Window, newest: number): Tally {
  const [tool, args] = [toolOf(window, newest), argsOf(window, newest)];
  const latest = latestFilled(window, newest);
  return {
    tool,
    args,
    key: signatureKey(tool, args),
    poll: isPoll(window, newest),
    count: countOf(window, newest),
    streak: streakOf(window, newest),
    outcome: latest === 0 ? null : outcomeOf(window, latest),
    oldest: indexOf(window, oldestOf(window, newest)),
  };
}

function oldestOf(window: Window, newest: number): number {
  let place = newest;
  for (let left = countOf(window, newest); left > 1; left -= 1) place = olderOf(window, place);
  return place;
}

function alternates(window: Window, settings: Settings): boolean {
  const tail = tailOf(window);
  return settings.pingPong && tail >= 2 && tail + 1 >= lowest(settings);
}

function alternationOf(window: Window): Alternation {
  const size = sizeOf(window);
  return {
    last: tally(window, placeAt(window, size - 1)),
    other: tally(window, placeAt(window, size - 2)),
    count: tailOf(window) + 1,
    noProgress: eachSideRepeats(window),
  };
}

function eachSideRepeats(window: Window): boolean {
  const size = sizeOf(window);
  for (let index = size - tailOf(window); index < size; index += 1) {
    const place = placeAt(window, index);
    if (!isFilled(window, place)) return false;
    const before = index - 2;
    if (before >= size - tailOf(window) && !sameOutcome(window, place, placeAt(window, before))) return false;
  }
  return true;
}

function missOf(window: Window): Miss | null {
  const missingTool = missingNow(window);
  if (missingTool === null) return null;
  const newest = placeAt(window, sizeOf(window) - 1);
  let oldest = 0;
  while (!sameTool(window, placeAt(window, oldest), newest)) oldest += 1;
  return { tool: toolOf(window, newest), missingTool, streak: missStreak(window), oldest };
}

/** What the newest record says is missing. */
function missingNow(window: Window): string | null {
  const { tags } = window;
  if (tags === null || tags.pending) return null;
  return tags.place === placeAt(window, sizeOf(window) - 1) ? tags.text : null;
}

/** Records at the end of one tool that say the same tool is missing. Tags stand newest first, as records do. */
function missStreak(window: Window): number {
  const missingTool = missingNow(window);
  if (missingTool === null) return 0;
  const size = sizeOf(window);
  const newest = placeAt(window, size - 1);
  let streak = 0;
  for (let { tags: tag } = window; tag !== null && streak < size; tag = tag.older) {
    const place = placeAt(window, size - 1 - streak);
    if (tag.place !== place || tag.pending || tag.text !== missingTool || !sameTool(window, place, newest))
      break;
    streak += 1;
  }
  return streak;
}
