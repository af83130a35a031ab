/** A record of `control` or `policies` as it stands in the log. */
export interface RecordedRecord {
  readonly topic: 'control' | 'policies';
  readonly partition: number;
  readonly offset: number;
  /** Epoch milliseconds. */
  readonly timestamp: number;
  readonly key: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Framed bytes with the schema ids of the embedded log, in base64. */
  readonly value: string;
  /** The same for people. */
  readonly means: unknown;
}

/** What a gateway answers to a call. `waits`: it has not answered yet. */
export type Answered = 'allow' | 'warn' | 'block' | 'abort' | 'waits';

/** An event that a gateway writes: the fields that do not depend on its name, its clock or its language. */
export type WrittenEvent = Readonly<Record<string, unknown>>;

interface CallStep {
  readonly do: 'call';
  readonly runId: string;
  readonly callId: string;
  readonly tool: string;
  readonly args: unknown;
  readonly unstoppable?: boolean;
}

interface ResultStep {
  readonly do: 'result';
  readonly runId: string;
  readonly callId: string;
  readonly tool: string;
  readonly args: unknown;
  readonly result: unknown;
}

/** What happens to a gateway. */
export type Happening =
  /** It begins to serve the run. */
  | { readonly do: 'serve'; readonly runId: string; readonly agentId: string }
  | CallStep
  | ResultStep
  | { readonly do: 'compacted'; readonly runId: string; readonly retry: boolean }
  | { readonly do: 'end'; readonly runId: string; readonly status: 'completed' | 'failed' | 'aborted' }
  /** These records can be read. */
  | { readonly do: 'hear'; readonly records: readonly RecordedRecord[] }
  /** Time passes, in milliseconds. */
  | { readonly do: 'pass'; readonly ms: number };

/** What a gateway must have done once it has dealt with a happening. */
export interface Expected {
  /** Answers that are due or that changed, by call id. */
  readonly answers?: Readonly<Record<string, Answered>>;
  /** Events written since the last step, in order. */
  readonly writes?: readonly WrittenEvent[];
  /** Whether the run's signal is aborted. */
  readonly aborted?: boolean;
}

export type Step = Happening & { readonly expect: Expected };

export interface GatewayUnderTest {
  readonly gatewayId: string;
  readonly strict: { readonly deadlineMs: number; readonly onDeadline: 'open' | 'closed' } | null;
  readonly onStale: 'open' | 'closed';
}

export interface Scenario {
  readonly name: string;
  /** What a gateway must do, in a sentence. */
  readonly promise: string;
  readonly gateway: GatewayUnderTest;
  /** Epoch milliseconds at the beginning. */
  readonly now: number;
  /** What stands in `policies` at the beginning. */
  readonly policies: readonly RecordedRecord[];
  readonly steps: readonly Step[];
}

/** What an adapter says after each happening. */
export interface Reaction {
  /** Every call answered so far, by call id. */
  readonly answers: Readonly<Record<string, Answered>>;
  /** Events written since the last happening, as framed bytes in base64, in order. */
  readonly events: readonly string[];
  /** Whether the signal of the run that was last named is aborted. */
  readonly aborted: boolean;
}

/**
 * A gateway as the kit sees it. Its log takes every event at once: the nth event of a partition has offset n − 1.
 */
export interface Adapter {
  start(scenario: Pick<Scenario, 'gateway' | 'now' | 'policies'>): Promise<Reaction>;
  happen(happening: Happening): Promise<Reaction>;
  stop(): Promise<void>;
}
