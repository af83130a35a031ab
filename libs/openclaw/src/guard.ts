import type { Answer, Gateway, Run } from '@loopwarden/gateway';
import type {
  HookContext,
  Host,
  HostAgentEnd,
  HostAgentEvent,
  HostCall,
  HostCallMade,
  HostLogger,
  HostResult,
  ReplacedResult,
  Veto,
} from './host.ts';
import { type HostedRun, HostedRuns } from './hosted-run.ts';
import type { Link } from './link.ts';
import { OpenCalls } from './open-calls.ts';
import { failureOf, isOwnVeto, outcomeOf, withText } from './outcome.ts';
import { type Ending, endingOf } from './run-ending.ts';
import type { Settings } from './settings.ts';

interface GuardParts {
  readonly settings: Settings;
  readonly link: Link;
  readonly host: Host;
  readonly logger: HostLogger;
}

/** A call with what makes it one of a run. */
interface NamedCall {
  readonly callId: string;
  readonly tool: string;
  readonly args: unknown;
}

const UNDECIDED =
  'The call was refused and did not run: whether it is part of a loop could not be decided in time. Wait a little, then try again, or report that you are stuck.';

/** How its own guard says that it ended a run. */
const OWN_GUARD = /identical results within \d+ attempts after auto-compaction/;

/** What OpenClaw's hooks mean for the runs: its calls become events, verdicts become vetoes, texts and aborts. */
export class Guard {
  readonly #parts: GuardParts;
  readonly #runs = new HostedRuns();
  readonly #calls = new OpenCalls();

  constructor(parts: GuardParts) {
    this.#parts = parts;
  }

  /** A tool is about to run. */
  async beforeCall(event: HostCall, context: HookContext): Promise<Veto | undefined> {
    const named = this.#named(event, context);
    if (named === undefined) return undefined;
    const { run, call } = named;
    this.#begin(run);
    run.compactionTold = false;
    const { strict } = this.#parts.settings.gateway;
    await run.late;
    const gateway = await this.#reached(strict?.deadlineMs ?? 0);
    if (gateway === null) {
      if (strict?.onDeadline === 'closed') return { block: true, blockReason: UNDECIDED };
      this.#letRun(run, call, null);
      this.#tellUnasked(run, call);
      return undefined;
    }
    const sdk = this.#heeded(run, gateway);
    const answer = await sdk.beforeCall(call);
    if (answer.action === 'block' || answer.action === 'abort') {
      if (answer.action === 'abort') this.#abort(run, answer.reason);
      this.#calls.add({ run, ...call, state: 'told', warning: null });
      return { block: true, blockReason: answer.reason };
    }
    this.#letRun(run, call, answer);
    return undefined;
  }

  /** A tool came back, and the model has not seen it yet: its result is digested before a text of ours is added. */
  result({ toolCallId, toolName, args, result }: HostResult): ReplacedResult | undefined {
    const call = this.#calls.running(toolCallId, toolName, args);
    if (call === undefined) return undefined;
    this.#tellResult(call.run, call, outcomeOf(result));
    call.state = 'told';
    if (call.warning === null) return undefined;
    const replaced = withText(result, call.warning);
    return replaced === undefined ? undefined : { result: replaced };
  }

  /** A call is over. Some were never asked about: unknown tools, arguments that fail validation, vetoes of others. */
  async afterCall(event: HostCallMade, context: HookContext): Promise<void> {
    const named = this.#named(event, context);
    if (named === undefined) return;
    const { run, call } = named;
    const open = this.#calls.take(run.runId, call.callId);
    const outcome = failureOf(event.result, event.error);
    if (open?.state === 'told') return;
    if (open !== undefined) return this.#tellResult(run, call, outcomeOf(event.result));
    if (isOwnVeto(event.result)) {
      this.#parts.logger.info(
        `OpenClaw's own loop detection, not Loopwarden, refused ${call.tool} of run ${run.runId}.`,
      );
      return this.#tellResult(run, call, { result: event.result });
    }
    if (!this.#runs.isActive(run)) return; // nothing of a run comes after its end
    run.late = run.late.then(() => this.#tellUnstoppable(run, call, outcome)).catch(() => {});
    await run.late;
  }

  /** A compaction that no event told of: of the run at work in the session, for a hook of this kind names none. */
  afterCompaction({ sessionKey, sessionId }: HookContext): void {
    const run = this.#runs.activeIn(sessionKey);
    if (run === undefined) return; // between runs: nothing goes on after it
    run.sessionId = sessionId ?? run.sessionId;
    if (run.compactionTold) run.compactionTold = false;
    else this.#tellCompaction(run);
  }

  /** An attempt has ended; a run may need several. */
  attemptEnded({ runId, success, error }: HostAgentEnd, context: HookContext): void {
    const run = this.#runs.of(runId === undefined ? context : { ...context, runId });
    if (run === undefined) return;
    run.succeeded = success ?? null;
    // What is final is told here: a process that runs one turn may be gone at its last event.
    if (run.aborted) this.#end(run, 'aborted');
    else if (error !== undefined && OWN_GUARD.test(error)) {
      const { logger } = this.#parts;
      logger.warn(`OpenClaw's own post-compaction guard, not Loopwarden, ended run ${run.runId}.`);
      this.#end(run, 'failed');
    }
  }

  agentEvent(event: HostAgentEvent): void {
    const run = this.#runs.of(event);
    if (run === undefined) return;
    const { stream, seq, data = {} } = event;
    if (seq !== undefined && seq === run.lastEvent) return; // delivered to each registration
    run.lastEvent = seq ?? -1;
    if (stream === 'compaction' && data.phase === 'end' && data.completed === true) {
      run.compactionTold = data.willRetry !== true;
      this.#tellCompaction(run);
    }
    const ending = endingOf(event, run);
    if (ending !== null) this.#end(run, ending);
    else if (stream === 'lifecycle' && data.phase === 'start') this.#begin(run);
  }

  /** Whether a run is at work. */
  get isBusy(): boolean {
    return this.#runs.isAnyActive;
  }

  /** The gateway as soon as it is there, within the milliseconds. */
  async #reached(withinMs: number): Promise<Gateway | null> {
    const { link } = this.#parts;
    return link.gateway ?? link.within(withinMs);
  }

  #named(event: HostCall, context: HookContext): { run: HostedRun; call: NamedCall } | undefined {
    const { runId = context.runId, toolCallId, toolName, params } = event;
    if (runId === undefined || toolCallId === undefined) return undefined; // a tool used outside any run
    const run = this.#runs.of({ ...context, runId });
    return run && { run, call: { callId: toolCallId, tool: toolName, args: params } };
  }

  #letRun(run: HostedRun, call: NamedCall, answer: Answer | null): void {
    const warning = answer?.action === 'warn' ? answer.message : null;
    this.#calls.add({ run, ...call, state: 'running', warning });
  }

  /** A call that ran before there was anybody to ask. In strict mode its result alone is told: nothing waits for it. */
  #tellUnasked(run: HostedRun, call: NamedCall): void {
    if (this.#parts.settings.gateway.strict !== undefined) return;
    this.#parts.link.tell(async (gateway) => {
      await run.on(gateway).beforeCall({ ...call, unstoppable: true });
    });
  }

  #tellResult(run: HostedRun, { callId, tool, args }: NamedCall, outcome: object): void {
    this.#parts.link.tell((gateway) => run.on(gateway).afterCall({ callId, tool, args, ...outcome }));
  }

  /** A call that was over before it could be asked about. Who goes on with calls that a verdict refuses is stopped. */
  async #tellUnstoppable(run: HostedRun, call: NamedCall, outcome: object): Promise<void> {
    const gateway = await this.#reached(this.#parts.settings.gateway.strict?.deadlineMs ?? 0);
    if (gateway === null) {
      this.#tellUnasked(run, call);
      return this.#tellResult(run, call, outcome);
    }
    // In a run that is being ended calls no longer come to their tools: those are refused.
    const answer = await this.#heeded(run, gateway).beforeCall({ ...call, unstoppable: !run.aborted });
    this.#tellResult(run, call, outcome);
    if (!('despite' in answer) || answer.despite === null || answer.despite.shadow) return;
    run.ignored += 1;
    const { action, after } = this.#parts.settings.unstoppable;
    if (action === 'abort' && run.ignored >= after) this.#abort(run, answer.despite.message);
  }

  #tellCompaction(run: HostedRun): void {
    this.#parts.link.tell((gateway) => run.on(gateway).compacted({ retry: true }));
  }

  /** The run is at work. */
  #begin(run: HostedRun): void {
    const { host, link } = this.#parts;
    this.#runs.began(run);
    if (run.sessionId !== null) run.handle = host.handleOf(run.sessionId) ?? run.handle;
    link.open();
  }

  #end(run: HostedRun, ending: Ending): void {
    this.#runs.ended(run);
    if (run.isTold) {
      run.late = run.late.then(() => this.#parts.link.tell((gateway) => run.on(gateway).end(ending)));
    }
    run.aborted = false;
    run.succeeded = null;
    run.ignored = 0;
    run.heeded = null;
    run.handle = undefined;
  }

  /** The run as the log knows it, whose abort is carried out also while no call asks. */
  #heeded(run: HostedRun, gateway: Gateway): Run {
    const sdk = run.on(gateway);
    const { signal } = sdk;
    if (run.heeded === signal) return sdk;
    run.heeded = signal;
    signal.addEventListener('abort', () => this.#abort(run, String(signal.reason?.message ?? '')), {
      once: true,
    });
    return sdk;
  }

  /** Ends the run. Where the host cannot now, every call of it is refused, and asks again. */
  #abort(run: HostedRun, reason: string): void {
    const { host, logger } = this.#parts;
    const isFirst = !run.aborted;
    run.aborted = true;
    if (run.sessionId === null || !host.abortRun(run.sessionId)) run.handle?.abort();
    if (isFirst) logger.warn(`Loopwarden ends run ${run.runId} of ${run.agentId ?? 'an agent'}: ${reason}`);
  }
}
