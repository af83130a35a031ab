import { describeCall, describeOutcome, endRun, type RunStatus } from '@loopwarden/detection';
import { isOurs } from './answer.ts';
import { forgetSilence, madeWith } from './decider.ts';
import type { Desk } from './desk.ts';
import { payloadOf } from './payload.ts';
import type { ServedRun } from './served-run.ts';
import { standingAbort } from './standing-abort.ts';

/** What a call brought back. Anything but an undefined `error` makes it an error. */
export interface CallMade {
  readonly callId?: string | null;
  readonly tool: string;
  /** Only looked at where the call itself was not told by `beforeCall` with the same `callId`. */
  readonly args?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
  readonly durationMs?: number;
}

/**
 * Tells what a call brought back. The blocked result of a call that was refused here was told then; any other is the
 * veto of another guard.
 */
export function reportResult(desk: Desk, run: ServedRun, made: CallMade): void {
  const { callId = null, tool, args, result, error, durationMs } = made;
  if (run.calls.wasRefused(callId)) return;
  const { profiles } = desk.inForce.policy;
  const identity = run.calls.returned(callId)?.identity ?? describeCall({ tool, args }, profiles, desk.hash);
  const outcome = describeOutcome({ tool, args, result, error }, profiles, desk.hash);
  if (outcome.outcome === 'vetoed' && isOurs(result)) return;
  attachFirst(desk, run);
  const raw = error === undefined ? { result } : { error };
  desk.scribe.write(run, {
    type: 'tool_result',
    callId,
    ...identity,
    ...outcome,
    verdict: null,
    seen: outcome.outcome === 'vetoed' ? run.seen : null,
    durationMs: durationMs === undefined ? null : wholeMs(durationMs),
    ...madeWith(desk),
    payload: payloadOf(desk.options.payloads, identity.tool, raw),
  });
}

export function reportCompaction(desk: Desk, run: ServedRun, retry: boolean): void {
  attachFirst(desk, run);
  run.ended = false;
  desk.scribe.write(run, { type: 'compaction', retry });
}

/** Tells the end of the run. Told twice in a row it is told once. */
export function reportEnd(desk: Desk, run: ServedRun, status: Exclude<RunStatus, 'unknown'>): void {
  if (run.ended) return;
  attachFirst(desk, run);
  const abort = standingAbort(desk, run);
  const verdict = abort && { epoch: abort.epoch, sequence: abort.sequence };
  desk.scribe.write(run, { type: 'run_end', status, verdict });
  run.ended = true;
  run.due = 'ended';
  endRun(desk.standings, run.runId);
  run.controller = new AbortController();
}

/** Whatever a gateway has to say of a run, `Attach` comes first. Later ones only precede decisions. */
function attachFirst(desk: Desk, run: ServedRun): void {
  forgetSilence(desk, run);
  if (run.due === 'first') desk.scribe.attach(run);
}

const INT_MAX = 2 ** 31 - 1;

function wholeMs(durationMs: number): number | null {
  return Number.isFinite(durationMs) ? Math.min(INT_MAX, Math.max(0, Math.round(durationMs))) : null;
}
