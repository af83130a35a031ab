/** 128 bits of a hash as 32 lower-case hex characters. */
export type Digest = string;

/** Names a verdict of the run that the record belongs to. */
export interface Ref {
  readonly epoch: number;
  readonly sequence: number;
}

export type Scope = 'signature' | 'tool' | 'run';

/** What a verdict applies to. `tool` and `args` are null where the scope does not need them. */
export interface Match {
  readonly scope: Scope;
  readonly tool: string | null;
  readonly args: Digest | null;
}

/** Fields that every event carries. `(runId, source, sequence)` identifies it. */
export interface EventBase {
  /** 1 to 256 bytes of UTF-8, not blank. */
  readonly runId: string;
  readonly agentId: string | null;
  readonly sessionId: string | null;
  readonly gatewayId: string;
  /** One start of one producer. */
  readonly source: string;
  /** 1, 2, 3, … per run and source. */
  readonly sequence: number;
  /** The producer's clock in epoch milliseconds; for people, never read by detection. */
  readonly observedAt: number;
}

/** A warning that was handed to the model with a call: its identity and level. */
export interface Delivered {
  readonly epoch: number;
  readonly warning: number;
  readonly level: number;
}

/** Why a call ran although a verdict would have refused it. */
export type DespiteWhy = 'shadow' | 'stale' | 'off' | 'unstoppable' | 'unknown';

export interface Despite extends Ref {
  readonly why: DespiteWhy;
}

/** A gateway begins to serve the run, new or not. */
export interface Attach extends EventBase {
  readonly type: 'attach';
}

/** The tool is about to run. */
export interface ToolCall extends EventBase {
  readonly type: 'tool_call';
  readonly callId: string | null;
  /** Normalised name. */
  readonly tool: string;
  readonly args: Digest;
  /** Whether the tool profiles say that this call polls. */
  readonly poll: boolean;
  readonly delivered: readonly Delivered[];
  readonly seen: Ref | null;
  readonly despite: Despite | null;
  /** Version of the tool profiles that the digests were made with. */
  readonly profiles: string;
  readonly keyId: string | null;
  readonly payload: string | null;
}

export type Outcome = 'result' | 'error' | 'none' | 'vetoed' | 'unknown';

/** What came back. `digest` is null for `none` and `vetoed`. */
export interface ToolResult extends EventBase {
  readonly type: 'tool_result';
  readonly callId: string | null;
  readonly tool: string;
  /** Null: to be found by call id. A veto always carries it. */
  readonly args: Digest | null;
  readonly poll: boolean;
  readonly outcome: Outcome;
  readonly digest: Digest | null;
  /** Name of the tool that the error says does not exist. */
  readonly missingTool: string | null;
  /** What a veto obeyed. */
  readonly verdict: Ref | null;
  readonly seen: Ref | null;
  readonly durationMs: number | null;
  readonly profiles: string;
  readonly keyId: string | null;
  readonly payload: string | null;
}

export interface Compaction extends EventBase {
  readonly type: 'compaction';
  /** The same run goes on after it: the only kind that arms the guard. */
  readonly retry: boolean;
}

export type RunStatus = 'completed' | 'failed' | 'aborted' | 'unknown';

export interface RunEnd extends EventBase {
  readonly type: 'run_end';
  readonly status: RunStatus;
  /** The abort obeyed. */
  readonly verdict: Ref | null;
}

/** `gatewayId` is "operator". */
export interface OperatorRelease extends EventBase {
  readonly type: 'release';
  /** Null: the whole run. */
  readonly match: Match | null;
  /** The epoch it was meant for; ignored in a later one. */
  readonly epoch: number | null;
  readonly actor: string;
  readonly reason: string;
}

/** One copy in every partition: `runId` "*", `source` "policy", `sequence` = revision. */
export interface PolicyApplied extends EventBase {
  readonly type: 'policy';
  readonly revision: number;
  /** The policy document as JSON text. */
  readonly policy: string;
  readonly actor: string;
  readonly reason: string;
}

/** An event that this version does not understand: only its number counts. */
export interface UnknownEvent extends EventBase {
  readonly type: 'unknown';
}

export type GatewayEvent = Attach | ToolCall | ToolResult | Compaction | RunEnd;
export type RunEvent = GatewayEvent | OperatorRelease;
export type LoopEvent = RunEvent | PolicyApplied;
/** An event as read: perhaps one of a later version. */
export type ReadEvent = LoopEvent | UnknownEvent;
