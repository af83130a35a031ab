import type { RunStatus } from '@loopwarden/detection';
import type { Answer, BlockedResult } from './answer.ts';
import { type CallToMake, decideNow, decideStrictly } from './decider.ts';
import type { Desk } from './desk.ts';
import { GatewayError } from './gateway-error.ts';
import { type CallMade, reportCompaction, reportEnd, reportResult } from './reporter.ts';
import type { RunIdentity, ServedRun } from './served-run.ts';
import { carryOutAbort } from './standing-abort.ts';

/** How a guarded call went. */
export type Guarded<T> =
  /** It ran. `warning`: text to hand to the model with the result. */
  | { readonly ran: true; readonly result: T; readonly warning: string | null }
  /** It was refused. `result` is what the model is given instead; after `abort` the run is to stop. */
  | { readonly ran: false; readonly action: 'block' | 'abort'; readonly result: BlockedResult };

/** One agent run as its host sees it. */
export class Run {
  readonly #desk: Desk;
  readonly #identity: RunIdentity;
  readonly #isOpen: () => boolean;

  constructor(desk: Desk, identity: RunIdentity, isOpen: () => boolean) {
    this.#desk = desk;
    this.#identity = identity;
    this.#isOpen = isOpen;
    this.#served().due ??= 'first'; // it may have been served elsewhere meanwhile
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
   * detectors have judged everything before it, or the deadline passes. Rejects only after the gateway was closed.
   */
  async beforeCall(call: CallToMake): Promise<Answer> {
    const run = this.#served();
    const { strict } = this.#desk.options;
    const answer =
      strict === null
        ? decideNow(this.#desk, run, call)
        : await decideStrictly(this.#desk, run, { call, strict });
    if (answer.action === 'abort') carryOutAbort(this.#desk, run);
    return answer;
  }

  /** Tells what a call brought back; the blocked result of a refused call need not be told, and may be. */
  afterCall(made: CallMade): void {
    reportResult(this.#desk, this.#served(), made);
  }

  /**
   * The context was compacted.
   * @param retry whether the same run goes on with the same task after it (default): then it is watched closely
   */
  compacted({ retry = true }: { readonly retry?: boolean } = {}): void {
    reportCompaction(this.#desk, this.#served(), retry);
  }

  /** The run is over. It may go on later, as a new life of the same run. */
  end(status: Exclude<RunStatus, 'unknown'>): void {
    reportEnd(this.#desk, this.#served(), status);
  }

  /**
   * Resolves when nothing that was told of the run is on its way to the log any more. Before that, another gateway
   * that goes on with the run could be heard first. While the log is away this waits: at most until `close`.
   */
  async written(): Promise<void> {
    const run = this.#served();
    while (run.unsent > 0) await this.#desk.progress.changed(run.partition);
  }

  /**
   * Runs a tool unless it is refused, and tells all there is to tell. What `execute` throws is told and thrown on.
   * @param execute gets the run's signal
   */
  async guard<T>(
    tool: string,
    args: unknown,
    execute: (signal: AbortSignal) => T | Promise<T>,
  ): Promise<Guarded<T>> {
    const callId = this.#served().nameCall();
    const answer = await this.beforeCall({ callId, tool, args });
    if (answer.action === 'block' || answer.action === 'abort') {
      return { ran: false, action: answer.action, result: answer.result };
    }
    const { clock } = this.#desk.options;
    const startedAt = clock.now();
    const told = { callId, tool, args };
    try {
      const result = await execute(this.signal);
      this.afterCall({ ...told, result: result ?? null, durationMs: clock.now() - startedAt });
      return { ran: true, result, warning: answer.action === 'warn' ? answer.message : null };
    } catch (error) {
      this.afterCall({ ...told, error: error ?? null, durationMs: clock.now() - startedAt });
      throw error;
    }
  }

  #served(): ServedRun {
    if (!this.#isOpen()) throw new GatewayError('closed', 'The gateway was closed. Connect another one.');
    const { runId, agentId, sessionId } = this.#identity;
    const run = this.#desk.roster.serve(runId, this.#desk.options.clock.now());
    run.agentId = agentId;
    run.sessionId = sessionId;
    return run;
  }
}
