import { describeCall } from './call.ts';
import type { Hash } from './canonical.ts';
import type { Delivered, EventBase, LoopEvent, Match, Ref, ToolCall, ToolResult } from './event.ts';
import { readIsoTime } from './iso-time.ts';
import { describeOutcome } from './outcome.ts';
import type { PolicyDocument } from './policy-document.ts';
import { normaliseTool, type Profiles } from './profiles.ts';
import { checkPublicEvent, type PublicEventRefusal } from './public-event-check.ts';

interface PublicBase {
  readonly agentId?: string | null;
  readonly sessionId?: string | null;
  readonly gatewayId?: string;
  readonly source?: string;
  /** Of a `policy` event: its revision. */
  readonly sequence?: number;
  /** Epoch milliseconds, or ISO 8601 with an offset. */
  readonly at?: number | string;
}

interface PublicRunEvent extends PublicBase {
  readonly runId: string;
}

interface PublicCallEvent extends PublicRunEvent {
  readonly callId?: string | null;
  readonly tool: string;
  readonly args?: unknown;
}

/** What an operator's release is about; arguments as the tool takes them. */
interface PublicMatch {
  readonly scope: Match['scope'];
  readonly tool?: string;
  readonly args?: unknown;
}

interface PublicOperatorNote {
  readonly actor?: string;
  readonly reason?: string;
}

/** An event before digests: what replay, the HTTP edge and test cases use. A missing field is not null. */
export type PublicEvent =
  | (PublicRunEvent & { readonly type: 'attach' })
  | (PublicCallEvent & { readonly type: 'tool_call'; readonly delivered?: readonly Delivered[] })
  | (PublicCallEvent & {
      readonly type: 'tool_result';
      readonly result?: unknown;
      readonly error?: unknown;
      readonly durationMs?: number | null;
      readonly verdict?: Ref | null;
    })
  | (PublicRunEvent & { readonly type: 'compaction'; readonly retry?: boolean })
  | (PublicRunEvent & {
      readonly type: 'run_end';
      readonly status: 'completed' | 'failed' | 'aborted';
      readonly verdict?: Ref | null;
    })
  | (PublicRunEvent &
      PublicOperatorNote & {
        readonly type: 'release';
        readonly match?: PublicMatch | null;
        readonly epoch?: number | null;
      })
  | (PublicBase &
      PublicOperatorNote & {
        readonly type: 'policy';
        readonly runId?: string;
        readonly policy: PolicyDocument;
      });

/** What an event does not say itself. */
export interface PublicEventContext {
  readonly hash: Hash;
  readonly profiles: Profiles;
  /** Id of the HMAC key that `hash` uses; null: none. */
  readonly keyId: string | null;
  readonly defaults: {
    readonly source: string;
    readonly sequence: number;
    readonly gatewayId: string;
    /** The reader's clock, epoch milliseconds. */
    readonly observedAt: number;
  };
}

export type ReadPublicEvent =
  | {
      readonly ok: true;
      readonly event: LoopEvent;
      /** The event's own time in epoch milliseconds; null: it names none. */
      readonly at: number | null;
    }
  | PublicEventRefusal;

/** An event of the log from its public form: arguments and results become digests, defaults are filled in. */
export function readPublicEvent(json: unknown, context: PublicEventContext): ReadPublicEvent {
  const refusal = checkPublicEvent(json);
  if (refusal !== null) return refusal;
  const event = json as PublicEvent;
  const at = typeof event.at === 'string' ? readIsoTime(event.at) : (event.at ?? null);
  return { ok: true, event: toLoopEvent(event, at, context), at };
}

function toLoopEvent(event: PublicEvent, at: number | null, context: PublicEventContext): LoopEvent {
  const base = baseOf(event, at, context);
  switch (event.type) {
    case 'attach':
      return { ...base, type: 'attach' };
    case 'tool_call':
      return toCall(event, base, context);
    case 'tool_result':
      return toResult(event, base, context);
    case 'compaction':
      return { ...base, type: 'compaction', retry: event.retry ?? true };
    case 'run_end':
      return { ...base, type: 'run_end', status: event.status, verdict: event.verdict ?? null };
    case 'release': {
      const match = event.match ? toMatch(event.match, context) : null;
      const { epoch = null, actor = '', reason = '' } = event;
      return { ...base, ...OPERATOR, type: 'release', match, epoch, actor, reason };
    }
    case 'policy': {
      const { policy, actor = '', reason = '' } = event;
      const identity = { ...OPERATOR, source: 'policy', revision: base.sequence };
      return { ...base, ...identity, type: 'policy', policy: JSON.stringify(policy), actor, reason };
    }
  }
}

/** Operator events name no agent. */
const OPERATOR = { agentId: null, sessionId: null, gatewayId: 'operator' };

function baseOf(event: PublicEvent, at: number | null, { defaults }: PublicEventContext): EventBase {
  return {
    runId: event.type === 'policy' ? '*' : event.runId,
    agentId: event.agentId ?? null,
    sessionId: event.sessionId ?? null,
    gatewayId: event.gatewayId ?? defaults.gatewayId,
    source: event.source ?? defaults.source,
    sequence: event.sequence ?? defaults.sequence,
    observedAt: at ?? defaults.observedAt,
  };
}

type Public<Type extends PublicEvent['type']> = Extract<PublicEvent, { readonly type: Type }>;

function toCall(event: Public<'tool_call'>, base: EventBase, context: PublicEventContext): ToolCall {
  const { hash, profiles, keyId } = context;
  return {
    ...base,
    type: 'tool_call',
    callId: callIdOf(event),
    ...describeCall(event, profiles, hash),
    delivered: event.delivered ?? [],
    seen: null,
    despite: null,
    profiles: profiles.version,
    keyId,
    payload: null,
  };
}

function toResult(event: Public<'tool_result'>, base: EventBase, context: PublicEventContext): ToolResult {
  const { hash, profiles, keyId } = context;
  const { durationMs = null, verdict = null } = event;
  return {
    ...base,
    type: 'tool_result',
    callId: callIdOf(event),
    ...describeCall(event, profiles, hash),
    ...describeOutcome(event, profiles, hash),
    verdict,
    seen: null,
    durationMs: durationMs === null ? null : Math.round(durationMs),
    profiles: profiles.version,
    keyId,
    payload: null,
  };
}

/** A blank call id is as good as none. */
function callIdOf({ callId = null }: PublicCallEvent): string | null {
  return callId === null || callId.trim() === '' ? null : callId;
}

function toMatch({ scope, tool = '', args }: PublicMatch, { hash, profiles }: PublicEventContext): Match {
  switch (scope) {
    case 'run':
      return { scope, tool: null, args: null };
    case 'tool':
      return { scope, tool: normaliseTool(tool, profiles), args: null };
    case 'signature': {
      const call = describeCall({ tool, args }, profiles, hash);
      return { scope, tool: call.tool, args: call.args };
    }
  }
}
