import type { Despite, GatewayEvent, Verdict } from '@loopwarden/detection';

/** Why a gateway told the detectors that it serves a run. */
export type AttachWhy =
  /** It begins to serve the run. */
  | 'first'
  /** Verdicts of the run were missed. */
  | 'gap'
  /** The run was silent for as long as detectors remember one, but for a minute. */
  | 'idle'
  /** The run goes on after its end. */
  | 'ended'
  /** Control records were lost before they were read. */
  | 'reset'
  /** Events of the run were dropped. */
  | 'dropped';

/** A call that a fact is about. */
export interface CallFact {
  readonly runId: string;
  readonly agentId: string | null;
  readonly callId: string | null;
  readonly tool: string;
}

/** Milliseconds from a verdict to what was made of it. */
export interface Since {
  /** Since the event that led to it (the log's clock against this machine's; never negative). */
  readonly sinceVerdictMs: number;
  /** Since the verdict arrived here. */
  readonly sinceHeardMs: number;
}

/** What a gateway did and what befell it, for log lines and counters. Holds no payload and no digest. */
export type GatewayFact =
  /** A call was refused. Without a verdict: strict mode, or a full buffer, refused it. */
  | ({ readonly kind: 'vetoed'; readonly verdict: Verdict | null } & CallFact & Since)
  /** A warning goes to the model with its call. */
  | ({ readonly kind: 'warned'; readonly verdict: Verdict } & CallFact & Since)
  /** The signal of a run was aborted. */
  | ({ readonly kind: 'aborted'; readonly runId: string; readonly verdict: Verdict } & Since)
  /** A call ran before the verdict that refuses it arrived; `lateMs` after the call began. */
  | ({ readonly kind: 'late'; readonly verdict: Verdict; readonly lateMs: number } & CallFact)
  /** A call ran although a known verdict refuses it. */
  | ({ readonly kind: 'despite'; readonly why: Despite['why']; readonly verdict: Verdict } & CallFact)
  /** Strict mode: the detectors had not judged in time. */
  | ({
      readonly kind: 'undecided';
      readonly waitedMs: number;
      readonly onDeadline: 'open' | 'closed';
    } & CallFact)
  | { readonly kind: 'attached'; readonly runId: string; readonly why: AttachWhy }
  /** No detector has spoken for a partition for a minute; its verdicts are stale. */
  | { readonly kind: 'stale'; readonly partition: number; readonly silentMs: number }
  | { readonly kind: 'fresh'; readonly partition: number }
  /** An event of a run never reaches the log. */
  | {
      readonly kind: 'dropped';
      readonly runId: string;
      readonly type: GatewayEvent['type'];
      readonly why: DropWhy;
    }
  /** What a host told of a run could not be read, in whole or in part; `detail` says what to give. */
  | {
      readonly kind: 'bad_call';
      readonly runId: string;
      readonly told: 'beforeCall' | 'afterCall' | 'compacted' | 'end';
      readonly detail: string;
    }
  /** Records of a partition of `control` were lost before they were read. */
  | { readonly kind: 'reset'; readonly partition: number }
  /** A record was left out because it cannot be understood or is not to be believed. */
  | {
      readonly kind: 'skipped';
      readonly topic: string;
      readonly partition: number;
      readonly offset: number;
      readonly detail: string;
    }
  /** A control record of a detector that was replaced. */
  | { readonly kind: 'zombie'; readonly partition: number; readonly offset: number }
  | {
      readonly kind: 'policy';
      readonly revision: number;
      readonly enforce: boolean;
      readonly profiles: string;
    }
  /** The log does not do what it is asked now; it is asked again. */
  | { readonly kind: 'unreachable'; readonly detail: string }
  | { readonly kind: 'reachable' };

export type DropWhy =
  /** The buffer was full. */
  | 'buffer'
  /** The log will never take it. */
  | 'refused'
  /** It is larger than a record may be. */
  | 'too_large'
  /** The gateway closed before it could be sent. */
  | 'closed';

/** Hears every fact. What it throws is ignored: watching must not stop an agent. */
export type Observer = (fact: GatewayFact) => void;
