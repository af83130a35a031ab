import type { Gateway, Run } from '@loopwarden/gateway';
import type { HookContext, RunHandle } from './host.ts';

/** One run of OpenClaw, which it names the same in all hooks and over all its attempts. */
export class HostedRun {
  readonly runId: string;
  agentId: string | null = null;
  /** Changes when a compaction begins a new transcript. */
  sessionId: string | null = null;
  sessionKey: string | null = null;
  /** Number of the last event delivered. */
  lastEvent = -1;
  /** Whether its last attempt succeeded; null: none has ended. */
  succeeded: boolean | null = null;
  /** It was ended on our behalf. */
  aborted = false;
  /** Its compaction was told, and the hook that follows is of the same one. */
  compactionTold = false;
  /** Calls made although a verdict refuses them, which the host cannot refuse. */
  ignored = 0;
  /** What is being told of calls that were over before they could be asked about, and then of the end. */
  late: Promise<void> = Promise.resolve();
  /** Ends the attempt that it was last seen in. */
  handle: RunHandle | undefined;
  /** The signal that is listened to. */
  heeded: AbortSignal | null = null;
  #sdk: { readonly gateway: Gateway; readonly run: Run; readonly sessionId: string | null } | null = null;

  constructor(runId: string) {
    this.runId = runId;
  }

  /** Whether anything of it was told. */
  get isTold(): boolean {
    return this.#sdk !== null;
  }

  /** The run as the log knows it, with the session that it is in now. */
  on(gateway: Gateway): Run {
    const { runId, agentId, sessionId } = this;
    const known = this.#sdk;
    if (known !== null && known.gateway === gateway && known.sessionId === sessionId) return known.run;
    const run = gateway.run({ runId, agentId, sessionId });
    this.#sdk = { gateway, run, sessionId };
    return run;
  }
}

const MAX_RUNS = 10_000;

/** The runs of this process, and those of them that are at work. */
export class HostedRuns {
  readonly #byId = new Map<string, HostedRun>();
  readonly #active = new Set<HostedRun>();

  /** The run that a hook speaks of, as it is now; undefined: it speaks of none. */
  of({ runId, agentId, sessionId, sessionKey }: HookContext): HostedRun | undefined {
    if (runId === undefined) return undefined;
    const run = this.#byId.get(runId) ?? new HostedRun(runId);
    this.#byId.delete(runId);
    this.#byId.set(runId, run);
    run.agentId = agentId ?? run.agentId;
    run.sessionId = sessionId ?? run.sessionId;
    run.sessionKey = sessionKey ?? run.sessionKey;
    this.#forgetBeyondBound();
    return run;
  }

  isActive(run: HostedRun): boolean {
    return this.#active.has(run);
  }

  get isAnyActive(): boolean {
    return this.#active.size > 0;
  }

  /** The run at work in a session, the last that began there; undefined: none is. */
  activeIn(sessionKey: string | undefined): HostedRun | undefined {
    return [...this.#active].findLast((run) => run.sessionKey === sessionKey);
  }

  began(run: HostedRun): void {
    this.#active.add(run);
  }

  /** The run is over. It stays known: results may still come, and it may go on. */
  ended(run: HostedRun): void {
    this.#active.delete(run);
  }

  #forgetBeyondBound(): void {
    if (this.#byId.size <= MAX_RUNS) return;
    for (const oldest of this.#byId.values()) {
      this.#byId.delete(oldest.runId);
      this.#active.delete(oldest);
      return;
    }
  }
}
