/** What OpenClaw 2026.7 hands to a plugin, as far as this one looks at it. */

/** The run that a hook speaks of. Which of them are there depends on the hook. */
export interface HookContext {
  readonly runId?: string;
  readonly agentId?: string;
  readonly sessionKey?: string;
  readonly sessionId?: string;
}

export interface HostCall {
  readonly toolName: string;
  readonly params?: unknown;
  readonly runId?: string;
  readonly toolCallId?: string;
}

export interface HostCallMade extends HostCall {
  readonly result?: unknown;
  /** Perhaps only the first line of what went wrong. */
  readonly error?: string;
  readonly durationMs?: number;
}

/** Names no run: only the call id leads there. */
export interface HostResult {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly args?: unknown;
  readonly result: unknown;
}

export interface HostAgentEnd {
  readonly runId?: string;
  readonly success?: boolean;
  readonly error?: string;
}

export interface HostAgentEvent extends HookContext {
  readonly runId: string;
  readonly stream: string;
  /** Counts the events of a run; what is delivered twice has the same number. */
  readonly seq?: number;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** What a veto looks like to the host: the model reads exactly the reason. */
export interface Veto {
  readonly block: true;
  readonly blockReason: string;
}

/** A result in place of the tool's. */
export interface ReplacedResult {
  readonly result: unknown;
}

export interface HostLogger {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** Hooks that this plugin listens to. */
interface HookHandlers {
  before_tool_call(event: HostCall, context: HookContext): Promise<Veto | undefined> | undefined;
  after_tool_call(event: HostCallMade, context: HookContext): Promise<void> | undefined;
  after_compaction(event: unknown, context: HookContext): void;
  agent_end(event: HostAgentEnd, context: HookContext): void;
  gateway_start(): void;
  gateway_stop(): Promise<void> | undefined;
}

export interface PluginApi {
  readonly pluginConfig?: unknown;
  readonly logger: HostLogger;
  on<Name extends keyof HookHandlers>(
    name: Name,
    handler: HookHandlers[Name],
    options?: { readonly priority?: number },
  ): void;
  registerAgentToolResultMiddleware(
    handler: (event: HostResult) => ReplacedResult | undefined,
    options: { readonly runtimes: readonly string[] },
  ): void;
  readonly agent: {
    readonly events: {
      registerAgentEventSubscription(subscription: {
        readonly id: string;
        readonly streams: readonly string[];
        handle(event: HostAgentEvent): void;
      }): void;
    };
  };
}

/** How the host ends one attempt of a run. */
export interface RunHandle {
  abort(): void;
}

/** What the plugin asks of the host outside its hooks. */
export interface Host {
  /** Ends the run that a session is in; false: there is none, or it cannot be ended now. */
  abortRun(sessionId: string): boolean;
  /**
   * The handle of the attempt that a session is in. After a compaction in the midst of an attempt OpenClaw has dropped
   * it, and `abortRun` with it, although the attempt goes on: so it is kept from before.
   */
  handleOf(sessionId: string): RunHandle | undefined;
}
