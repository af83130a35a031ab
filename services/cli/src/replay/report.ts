import type { Verdict } from '@loopwarden/detection';

/** How often each action was found. */
export interface VerdictCounts {
  warn: number;
  block: number;
  abort: number;
}

/** Calls made while a block or an abort stood for them, and the time they took. */
export interface Saved {
  readonly calls: number;
  /** Null: not known, for the events name no times. */
  readonly ms: number | null;
}

/** What is told of one run. */
export interface RunReport {
  readonly runId: string;
  readonly agentId: string | null;
  readonly sessionId: string | null;
  readonly calls: number;
  /** Calls by tool, normalised names. */
  readonly tools: ReadonlyMap<string, number>;
  readonly verdicts: Readonly<VerdictCounts>;
  /** Calls the run had made when its first verdict came; null: none came. */
  readonly firstVerdictAtCall: number | null;
  readonly saved: Saved;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly endedAt: number;
}

/** A verdict with what speaks for it. */
export interface VerdictReport {
  readonly verdict: Verdict;
  readonly atCall: number;
  /** What the calls asked for, in short; of a ping-pong also the other side's. */
  readonly args: string | null;
  readonly otherArgs: string | null;
  /** Numbers of the calls within the run, from 1. */
  readonly calls: readonly number[];
  readonly sameResult: boolean;
}
