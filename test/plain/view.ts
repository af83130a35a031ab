import type { Digest } from '@loopwarden/detection';
import type { Window } from './window.ts';

/** What the window says of one signature. */
interface Tally {
  readonly tool: string;
  readonly args: Digest;
  readonly key: string;
  /** Of its newest record. */
  readonly poll: boolean;
  /** Records, pending ones included. */
  count: number;
  /** Newest outcomes in a row that are equal; pending records are passed over. */
  streak: number;
  /** The newest outcome. */
  outcome: string | null;
  /** Index of its oldest record. */
  oldest: number;
  broken: boolean;
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

/** A window as the detectors read it. */
interface PlainView {
  readonly tallies: readonly Tally[];
  readonly alternation: Alternation | null;
  readonly miss: Miss | null;
}

/** What detectors read of a window, by looking at all of it. */
export function plainView(window: Window): PlainView {
  const tallies = tally(window);
  return {
    tallies: [...tallies.values()],
    alternation: alternationOf(window, tallies),
    miss: missOf(window),
  };
}

function tally(window: Window): Map<string, Tally> {
  const tallies = new Map<string, Tally>();
  for (let index = window.length - 1; index >= 0; index -= 1) {
    const record = window[index];
    if (record === undefined) continue;
    const { key } = record;
    let entry = tallies.get(key);
    if (entry === undefined) {
      const { tool, args, poll } = record;
      entry = { tool, args, key, poll, count: 0, streak: 0, outcome: null, oldest: index, broken: false };
      tallies.set(key, entry);
    }
    entry.count += 1;
    entry.oldest = index;
    countOutcome(entry, record.outcome);
  }
  return tallies;
}

function countOutcome(entry: Tally, outcome: string | null): void {
  if (outcome === null || entry.broken) return;
  if (entry.outcome === null) entry.outcome = outcome;
  if (entry.outcome === outcome) entry.streak += 1;
  else entry.broken = true;
}

function alternationOf(window: Window, tallies: ReadonlyMap<string, Tally>): Alternation | null {
  const keys = window.map(({ key }) => key);
  const lastKey = keys.at(-1);
  const otherKey = keys.findLast((key) => key !== lastKey);
  if (lastKey === undefined || otherKey === undefined) return null;
  let tail = 0;
  while (keys[keys.length - 1 - tail] === (tail % 2 === 0 ? lastKey : otherKey)) tail += 1;
  const last = tallies.get(lastKey);
  const other = tallies.get(otherKey);
  if (tail < 2 || last === undefined || other === undefined) return null;
  return { last, other, count: tail + 1, noProgress: eachSideRepeats(window.slice(-tail)) };
}

function eachSideRepeats(tail: Window): boolean {
  return tail.every((record, index) => {
    const first = tail[index % 2];
    return record.outcome !== null && record.outcome === first?.outcome;
  });
}

function missOf(window: Window): Miss | null {
  const newest = window.at(-1);
  if (newest === undefined || newest.missingTool === null) return null;
  const { tool, missingTool } = newest;
  let streak = 0;
  for (const record of window.toReversed()) {
    if (record.tool !== tool || record.missingTool !== missingTool) break;
    streak += 1;
  }
  return { tool, missingTool, streak, oldest: window.findIndex((record) => record.tool === tool) };
}
