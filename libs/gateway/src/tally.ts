import type { DespiteWhy } from '@loopwarden/detection';
import type { DropWhy, GatewayFact } from './fact.ts';

/** Durations, as far as a sum can tell: `sumMs / count` is the mean. */
export interface Spread {
  count: number;
  sumMs: number;
  maxMs: number;
}

/** What was counted since the gateway connected. Only grows. */
export interface Tally {
  vetoes: number;
  warnings: number;
  aborts: number;
  /** Calls that ran before the verdict that refuses them arrived. */
  late: number;
  /** Calls that ran although a known verdict refuses them, by why. */
  readonly despite: Record<DespiteWhy, number>;
  /** Strict decisions that the detectors' judgement came too late for. */
  undecided: number;
  attached: number;
  /** Events that never reach the log, by why. */
  readonly dropped: Record<DropWhy, number>;
  /** Times that a host told of a run what could not be read. */
  badCalls: number;
  /** Control and policy records that were left out. */
  skipped: number;
  zombies: number;
  /** From the event that led to a verdict to the call refused or the signal aborted by it. */
  readonly verdictToEnforcement: Spread;
  /** From the beginning of a call to the verdict that came too late for it. */
  readonly lateness: Spread;
}

export function openTally(): Tally {
  const spread = (): Spread => ({ count: 0, sumMs: 0, maxMs: 0 });
  return {
    vetoes: 0,
    warnings: 0,
    aborts: 0,
    late: 0,
    despite: { shadow: 0, stale: 0, off: 0, unstoppable: 0, unknown: 0 },
    undecided: 0,
    attached: 0,
    dropped: { buffer: 0, refused: 0, too_large: 0, closed: 0 },
    badCalls: 0,
    skipped: 0,
    zombies: 0,
    verdictToEnforcement: spread(),
    lateness: spread(),
  };
}

export function count(tally: Tally, fact: GatewayFact): void {
  switch (fact.kind) {
    case 'vetoed':
      tally.vetoes += 1;
      if (fact.verdict !== null) add(tally.verdictToEnforcement, fact.sinceVerdictMs);
      break;
    case 'warned':
      tally.warnings += 1;
      break;
    case 'aborted':
      tally.aborts += 1;
      add(tally.verdictToEnforcement, fact.sinceVerdictMs);
      break;
    case 'late':
      tally.late += 1;
      add(tally.lateness, fact.lateMs);
      break;
    case 'despite':
      tally.despite[fact.why] += 1;
      break;
    case 'dropped':
      tally.dropped[fact.why] += 1;
      break;
    case 'bad_call':
      tally.badCalls += 1;
      break;
    case 'zombie':
      tally.zombies += 1;
      break;
    case 'undecided':
    case 'attached':
    case 'skipped':
      tally[fact.kind] += 1;
  }
}

function add(spread: Spread, ms: number): void {
  spread.count += 1;
  spread.sumMs += ms;
  spread.maxMs = Math.max(spread.maxMs, ms);
}
