import { type Verdict, verdictId } from '@loopwarden/detection';

/**
 * What the model is given in place of a refused call's result: a normal result with a reason. An error would
 * be taken for a failure of the tool and tried again.
 */
export interface BlockedResult {
  readonly content: readonly [{ readonly type: 'text'; readonly text: string }];
  readonly details: {
    readonly status: 'blocked';
    readonly deniedReason: 'tool-loop';
    readonly reason: string;
    /** `run/epoch.sequence`; null: refused without a verdict. */
    readonly verdict: string | null;
  };
}

/** The call may run. `despite`: a verdict refuses it, and is not enforced. */
export interface Allowed {
  readonly action: 'allow';
  readonly despite: Verdict | null;
}

/** The call may run, and the model is to be given `message` with its result. */
export interface Warned {
  readonly action: 'warn';
  readonly message: string;
  readonly verdict: Verdict;
  readonly despite: Verdict | null;
}

/** The call must not run; `abort`: nor any other of the run. */
export interface Refused {
  readonly action: 'block' | 'abort';
  readonly result: BlockedResult;
  readonly reason: string;
  /** Null: no verdict refuses it, but this gateway was told to rather refuse (strict mode, full buffer). */
  readonly verdict: Verdict | null;
}

export type Answer = Allowed | Warned | Refused;

/** Why a call is refused that no verdict refuses. */
export type Refusal = 'undecided' | 'unrecorded';

const REFUSALS: Readonly<Record<Refusal, string>> = {
  undecided:
    'The call was refused and did not run: whether it is part of a loop could not be decided in time. Wait a little, then try again, or report that you are stuck.',
  unrecorded:
    'The call was refused and did not run: what agents do cannot be recorded at the moment. Wait a little, then try again, or report that you are stuck.',
};

export function refusedBy(verdict: Verdict): Refused {
  const action = verdict.action === 'abort' ? 'abort' : 'block';
  return {
    action,
    reason: verdict.message,
    verdict,
    result: blocked(verdict.message, verdictId(verdict)),
  };
}

export function refusedFor(refusal: Refusal): Refused {
  const reason = REFUSALS[refusal];
  return { action: 'block', reason, verdict: null, result: blocked(reason, null) };
}

/** Whether a blocked result was made by a gateway of this kind: only those name their verdict, or that there is none. */
export function isOurs(result: unknown): boolean {
  try {
    const { details } = (result ?? {}) as { details?: unknown };
    return typeof details === 'object' && details !== null && 'verdict' in details;
  } catch {
    return false; // a getter or a proxy that throws
  }
}

function blocked(reason: string, verdict: string | null): BlockedResult {
  return {
    content: [{ type: 'text', text: reason }],
    details: { status: 'blocked', deniedReason: 'tool-loop', reason, verdict },
  };
}
