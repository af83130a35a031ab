import {
  type CallIdentity,
  type Delivered,
  decide,
  describeCall,
  forgetRun,
  handOut,
  type Ref,
  type Verdict,
} from '@loopwarden/detection';
import { type Answer, type Refusal, type Refused, refusedBy, refusedFor } from './answer.ts';
import { deadlineIn } from './clock.ts';
import type { Desk } from './desk.ts';
import { isEnforced, isSpared, since } from './enforcement.ts';
import type { Strict } from './gateway-options.ts';
import { payloadOf } from './payload.ts';
import type { ServedRun } from './served-run.ts';
import { standingAbort } from './standing-abort.ts';
import { type Weighed, weigh } from './weigh.ts';

/** A call that the host is about to make. */
export interface CallToMake {
  /** Names the call within its run. Results find their call by it; leave it out where there is none. */
  readonly callId?: string | null;
  readonly tool: string;
  readonly args?: unknown;
  /** The host cannot refuse this call: what would refuse it is only told. */
  readonly unstoppable?: boolean;
}

/** A call as it is decided. */
interface CallInQuestion {
  readonly callId: string | null;
  readonly identity: CallIdentity;
  readonly args: unknown;
  readonly unstoppable: boolean;
  /** What nothing refuses is refused all the same, for want of a judgement. */
  readonly closed: boolean;
}

/** Detectors are at most a minute behind in forgetting; a gateway is a minute ahead of them (wire contract, section 6). */
export const AHEAD_MS = 60_000;

/** Decides by what is known here, at once. */
export function decideNow(desk: Desk, run: ServedRun, call: CallToMake): Answer {
  const asked = inQuestion(desk, call);
  beginTurn(desk, run);
  return conclude(desk, run, asked);
}

/** Decides once the detectors have judged all that this gateway told of the run, or when the deadline passes. */
export async function decideStrictly(
  desk: Desk,
  run: ServedRun,
  { call, strict }: { call: CallToMake; strict: Strict },
): Promise<Answer> {
  const asked = inQuestion(desk, call);
  const askedAt = desk.options.clock.now();
  const deadline = deadlineIn(strict.deadlineMs, desk.options.clock);
  const before = run.turn;
  const { promise: turn, resolve: done } = Promise.withResolvers<void>();
  run.turn = before.then(() => turn);
  try {
    await before;
    beginTurn(desk, run);
    while (isAwaited(desk, run) && !deadline.over && !desk.closing.aborted) {
      await Promise.race([desk.progress.changed(run.partition), deadline.passed]);
      // What was lost while waiting is told with the next decision: there may be no room for it now.
      if (run.due !== 'dropped') beginTurn(desk, run);
    }
    if (!isAwaited(desk, run)) return conclude(desk, run, asked);
    const waitedMs = Math.max(0, desk.options.clock.now() - askedAt);
    desk.tell({ kind: 'undecided', ...named(run, asked), waitedMs, onDeadline: strict.onDeadline });
    beginTurn(desk, run);
    return conclude(desk, run, { ...asked, closed: strict.onDeadline === 'closed' });
  } finally {
    deadline.callOff();
    done();
  }
}

/** Whether a judgement of what was told of the run is still to come. With enforcement off it would change nothing. */
function isAwaited({ inForce, progress }: Desk, run: ServedRun): boolean {
  if (!inForce.policy.enforce) return false;
  return run.due !== null || run.unsent > 0 || !progress.hasJudged(run.partition, run.lastOffset);
}

/** A run that was silent for as long as detectors remember one is begun anew; `Attach` comes before a decision. */
function beginTurn(desk: Desk, run: ServedRun): void {
  forgetSilence(desk, run);
  desk.scribe.attach(run);
}

/** Before anything is written of a run, which would hide the silence: what was heard before it may hold no more. */
export function forgetSilence(desk: Desk, run: ServedRun): void {
  const silentMs = desk.options.clock.now() - run.activeAt;
  if (silentMs < desk.inForce.policy.idleMs - AHEAD_MS) return;
  forgetRun(desk.standings, run.runId);
  run.seen = null;
  run.due ??= 'idle';
}

function inQuestion(
  desk: Desk,
  { callId = null, tool, args, unstoppable = false }: CallToMake,
): CallInQuestion {
  const identity = describeCall({ tool, args }, desk.inForce.policy.profiles, desk.hash);
  return { callId, identity, args, unstoppable, closed: false };
}

/** The decision by what stands now, and its event. */
function conclude(desk: Desk, run: ServedRun, asked: CallInQuestion): Answer {
  const { standings, inForce } = desk;
  const { tool, args } = asked.identity;
  const weighed = weigh(decide(standings, { runId: run.runId, tool, args }), {
    enforce: inForce.policy.enforce,
    stale: isSpared(desk, run),
    unstoppable: asked.unstoppable,
  });
  const { verdict } = weighed;
  if (verdict !== null && verdict.action !== 'warn') return refuse(desk, { run, asked, by: verdict });
  if (!asked.unstoppable && inForce.policy.enforce) {
    if (asked.closed) return refuse(desk, { run, asked, by: 'undecided' });
    if (desk.options.buffer.onFull === 'refuse' && desk.scribe.isFull) {
      return refuse(desk, { run, asked, by: 'unrecorded' });
    }
  }
  return letRun(desk, { run, asked, weighed });
}

/** A call of which not even the tool is known: only an abort, which stops whatever comes, can refuse it. */
export function decideUnread(desk: Desk, run: ServedRun): Answer {
  const abort = standingAbort(desk, run);
  if (abort !== null && isEnforced(desk, run)) return refusedBy(abort);
  return { action: 'allow', despite: null };
}

interface Refusing {
  readonly run: ServedRun;
  readonly asked: CallInQuestion;
  readonly by: Verdict | Refusal;
}

function refuse(desk: Desk, { run, asked, by }: Refusing): Refused {
  const answer = typeof by === 'string' ? refusedFor(by) : refusedBy(by);
  const { verdict } = answer;
  desk.scribe.write(run, {
    type: 'tool_result',
    callId: asked.callId,
    ...asked.identity,
    outcome: 'vetoed',
    digest: null,
    missingTool: null,
    verdict: verdict && refOf(verdict),
    seen: run.seen,
    durationMs: null,
    ...madeWith(desk),
    payload: null,
  });
  run.calls.refused(asked.callId);
  const times = verdict === null ? { sinceVerdictMs: 0, sinceHeardMs: 0 } : since(desk, verdict);
  desk.tell({ kind: 'vetoed', ...named(run, asked), verdict, ...times });
  return answer;
}

interface LettingRun {
  readonly run: ServedRun;
  readonly asked: CallInQuestion;
  readonly weighed: Weighed;
}

function letRun(desk: Desk, { run, asked, weighed: { verdict, despite } }: LettingRun): Answer {
  const { identity, callId, args } = asked;
  const delivered: Delivered[] = verdict === null ? [] : [handOut(desk.standings, verdict)];
  desk.scribe.write(run, {
    type: 'tool_call',
    callId,
    ...identity,
    delivered,
    seen: run.seen,
    despite: despite && { ...refOf(despite.verdict), why: despite.why },
    ...madeWith(desk),
    payload: payloadOf(desk.options.payloads, identity.tool, { args }),
  });
  const startedAt = desk.options.clock.now();
  run.calls.began({ callId, identity, sequence: run.sequence, startedAt }, { despite: despite !== null });
  if (despite !== null) desk.tell({ kind: 'despite', ...named(run, asked), ...despite });
  const spared = despite?.verdict ?? null;
  if (verdict === null) return { action: 'allow', despite: spared };
  desk.tell({ kind: 'warned', ...named(run, asked), verdict, ...since(desk, verdict) });
  return { action: 'warn', message: verdict.message, verdict, despite: spared };
}

function named({ runId, agentId }: ServedRun, { callId, identity }: CallInQuestion) {
  return { runId, agentId, callId, tool: identity.tool };
}

function refOf({ epoch, sequence }: Verdict): Ref {
  return { epoch, sequence };
}

/** What the digests of an event were made with. */
export function madeWith({ inForce, options }: Desk): { profiles: string; keyId: string | null } {
  return { profiles: inForce.policy.profilesVersion, keyId: options.hmacKey?.id ?? null };
}
