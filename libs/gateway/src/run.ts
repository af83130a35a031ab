import type { GatewayEvent, RunStatus } from '@loopwarden/detection';
import type { Answer, BlockedResult } from './answer.ts';
import { type CallToMake, decideNow, decideStrictly, decideUnread } from './decider.ts';
import type { Desk } from './desk.ts';
import type { GatewayFact } from './fact.ts';
import { GatewayError } from './gateway-error.ts';
import { shown } from './given.ts';
import { type Reading, readCallMade, readCallToMake, readRetry, readStatus } from './read-call.ts';
import { type CallMade, reportCompaction, reportEnd, reportResult } from './reporter.ts';
import type { RunIdentity, ServedRun } from './served-run.ts';
import { carryOutAbort } from './standing-abort.ts';

/** How a guarded call went. */
export type Guarded<T> =
  /** It ran. `warning`: text to hand to the model with the result. */
  | { readonly ran: true; readonly result: T; readonly warning: string | null }
  /** It was refused. `result` is what the model is given instead; after `abort` the run is to stop. */
  | { readonly ran: false; readonly action: 'block' | 'abort'; readonly result: BlockedResult };

type BadCall = Extract<GatewayFact, { kind: 'bad_call' }>;

/** One agent run as its host sees it. */
export class Run {
  readonly #desk: Desk;
  readonly #identity: RunIdentity;

  constructor(desk: Desk, identity: RunIdentity) {
    this.#desk = desk;
    this.#identity = identity;
    this.#open().due ??= 'first'; // it may have been served elsewhere meanwhile
  }

  get runId(): string {
    return this.#identity.runId;
  }

  /** Aborts when the run is aborted. A run that goes on, after an operator's release or its own end, has a new one. */
  get signal(): AbortSignal {
    return this.#served().controller.signal;
  }

  /**
   * Asks whether a call may run, and tells the detectors. Decided by what is known here; in strict mode once the
   * detectors have judged everything before it, or the deadline passes. A call that cannot be read may run, and is
   * told as `bad_call`. Rejects only after the gateway was closed.
   */
  async beforeCall(call: CallToMake): Promise<Answer> {
    const run = this.#open();
    const asked = this.#read('beforeCall', readCallToMake(call));
    const answer = asked === null ? decideUnread(this.#desk, run) : await this.#decide(run, asked);
    if (answer.action === 'abort') carryOutAbort(this.#desk, run);
    return answer;
  }

  /** Tells what a call brought back; the blocked result of a refused call need not be told, and may be. Never throws. */
  afterCall(made: CallMade): void {
    const read = this.#read('afterCall', readCallMade(made));
    if (read !== null) this.#tell('tool_result', (run) => reportResult(this.#desk, run, read));
  }

  /**
   * The context was compacted. Never throws.
   * @param retry whether the same run goes on with the same task after it (default): then it is watched closely
   */
  compacted(how: { readonly retry?: boolean } = {}): void {
    const retry = this.#read('compacted', readRetry(how));
    if (retry !== null) this.#tell('compaction', (run) => reportCompaction(this.#desk, run, retry));
  }

  /** The run is over. It may go on later, as a new life of the same run. Never throws. */
  end(status: Exclude<RunStatus, 'unknown'>): void {
    const ending = this.#read('end', readStatus(status));
    if (ending !== null) this.#tell('run_end', (run) => reportEnd(this.#desk, run, ending));
  }

  /**
   * Resolves when nothing that was told of the run is on its way to the log any more. Before that, another gateway
   * that goes on with the run could be heard first. While the log is away this waits: at most until `close`.
   */
  async written(): Promise<void> {
    const { scribe, progress } = this.#desk;
    const run = this.#served();
    while (run.unsent > 0 && !scribe.isClosed) await progress.changed(run.partition);
  }

  /**
   * Runs a tool unless it is refused, and tells all there is to tell. What `execute` throws is told and thrown on.
   * Rejects with `bad_call` where there is nothing to execute.
   * @param execute gets the run's signal
   */
  async guard<T>(
    tool: string,
    args: unknown,
    execute: (signal: AbortSignal) => T | Promise<T>,
  ): Promise<Guarded<T>> {
    if (typeof execute !== 'function') {
      throw new GatewayError(
        'bad_call',
        `execute is ${shown(execute)}; give the function that runs the tool.`,
      );
    }
    const callId = this.#open().nameCall();
    const answer = await this.beforeCall({ callId, tool, args });
    if (answer.action === 'block' || answer.action === 'abort') {
      return { ran: false, action: answer.action, result: answer.result };
    }
    const { clock } = this.#desk.options;
    const startedAt = clock.now();
    const told = { callId, tool, args };
    let result: T;
    try {
      result = await execute(this.signal);
    } catch (error) {
      this.afterCall({ ...told, error: error ?? null, durationMs: clock.now() - startedAt });
      throw error;
    }
    this.afterCall({ ...told, result: result ?? null, durationMs: clock.now() - startedAt });
    return { ran: true, result, warning: answer.action === 'warn' ? answer.message : null };
  }

  #decide(run: ServedRun, call: CallToMake): Answer | Promise<Answer> {
    const { strict } = this.#desk.options;
    return strict === null
      ? decideNow(this.#desk, run, call)
      : decideStrictly(this.#desk, run, { call, strict });
  }

  /** What a host told, as far as it can be read; what cannot is said. */
  #read<T>(told: BadCall['told'], { value, faults }: Reading<T>): T | null {
    for (const detail of faults) this.#desk.tell({ kind: 'bad_call', runId: this.runId, told, detail });
    return value;
  }

  /** Tells something of the run; nothing is heard after the gateway was closed. */
  #tell(type: GatewayEvent['type'], work: (run: ServedRun) => void): void {
    const { closing, tell } = this.#desk;
    if (closing.aborted) tell({ kind: 'dropped', runId: this.runId, type, why: 'closed' });
    else work(this.#served());
  }

  #open(): ServedRun {
    if (!this.#desk.closing.aborted) return this.#served();
    throw new GatewayError('closed', 'The gateway was closed. Connect another one.');
  }

  #served(): ServedRun {
    const { runId, agentId, sessionId } = this.#identity;
    const run = this.#desk.roster.serve(runId, this.#desk.options.clock.now());
    run.agentId = agentId;
    run.sessionId = sessionId;
    return run;
  }
}
