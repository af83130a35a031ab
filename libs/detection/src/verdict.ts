import type { Match } from './event.ts';

/** Version of the detection rules: a change that can change a verdict changes it. */
export const ENGINE = '1';

export type Action = 'warn' | 'block' | 'abort' | 'release';

/** Why a verdict was withdrawn. */
export type ReleaseReason =
  | 'delivered'
  | 'cleared'
  | 'policy'
  | 'operator'
  | 'aborted'
  | 'run_ended'
  | 'expired';

/**
 * A published finding or its withdrawal. Holds nothing that differs between two judgements of the same
 * log, so that bodies compare byte for byte.
 */
export interface Verdict {
  readonly runId: string;
  readonly agentId: string | null;
  readonly sessionId: string | null;
  /** Of the run's latest gateway event. */
  readonly gatewayId: string;
  readonly epoch: number;
  /** 1, 2, 3, … per epoch, without gaps. */
  readonly sequence: number;
  readonly action: Action;
  readonly match: Match;
  readonly detector: string;
  readonly count: number;
  readonly threshold: number;
  /** Warnings: how often the warning has come, from 1; else 0. */
  readonly level: number;
  /** Warnings: sequence of the first verdict under this warning key; else 0. */
  readonly warning: number;
  readonly pairedTool: string | null;
  /** Sequence of the verdict that this one replaces or withdraws. */
  readonly ends: number | null;
  /** Releases only. */
  readonly reason: ReleaseReason | null;
  /** Published and counted, never enforced. */
  readonly shadow: boolean;
  readonly trigger: { readonly source: string; readonly sequence: number };
  /** Time of the trigger, epoch milliseconds. */
  readonly at: number;
  readonly policyRevision: number;
  readonly profiles: string;
  readonly engine: string;
  /** For the model; empty for releases. */
  readonly message: string;
}

/** A detector's sign of life and progress in one control partition. */
export interface Mark {
  readonly partition: number;
  /** Every verdict of events up to here stands before the mark; −1: nothing judged yet. */
  readonly offset: number;
  /** The end of the events partition as the detector knew it. */
  readonly end: number;
}

/** `run/epoch.sequence`: how people and commands name a verdict. */
export function verdictId(verdict: { runId: string; epoch: number; sequence: number }): string {
  return `${verdict.runId}/${verdict.epoch}.${verdict.sequence}`;
}

/** Identity of a match. A run match is one whatever tool it names (an abort names the tool that fired it). */
export function matchKey(match: Match): string {
  if (match.scope === 'run') return 'run';
  return match.scope === 'tool' ? `tool:${match.tool}` : signatureKey(match.tool ?? '', match.args ?? '');
}

/** Identity of a signature: tool and digest of its canonical arguments. */
export function signatureKey(tool: string, args: string): string {
  return `${tool}:${args}`;
}
