import { eventBreach } from '@loopwarden/wire';
import { assemble, type Parts, topicNames } from './assemble.ts';
import { deadlineIn } from './clock.ts';
import { tellTurned } from './control-ear.ts';
import { AHEAD_MS } from './decider.ts';
import { followControl, followPolicies, readPolicies } from './ears.ts';
import { GatewayError } from './gateway-error.ts';
import { type GatewayOptions, settle } from './gateway-options.ts';
import { Run } from './run.ts';
import type { Tally } from './tally.ts';

/** What a gateway knows of itself. */
export interface GatewayStats extends Readonly<Tally> {
  readonly runs: number;
  /** Events that wait for the log. */
  readonly held: { readonly records: number; readonly bytes: number };
  /** Whether the log did what it was last asked to. */
  readonly reachable: boolean;
  /** Partitions that no detector has spoken for in a minute. */
  readonly stale: readonly number[];
  /** −1: none was applied. */
  readonly policyRevision: number;
  readonly enforce: boolean;
}

/** Which run a host means. */
export interface RunToServe {
  /** 1 to 256 bytes of UTF-8, not blank. */
  readonly runId: string;
  readonly agentId?: string | null;
  readonly sessionId?: string | null;
}

/** How often silence is looked at. */
const ROUND_MS = 5_000;
const CLOSE_MS = 5_000;

/** One gateway: the runs that it serves, and its ear on the log. */
export class Gateway {
  readonly #parts: Parts;
  readonly #listening: Promise<unknown>;
  #callOffRound: () => void;

  /** @param listening resolves when nothing is heard any more */
  constructor(parts: Parts, listening: Promise<unknown>) {
    this.#parts = parts;
    this.#listening = listening;
    this.#callOffRound = this.#nextRound();
  }

  /**
   * Begins to serve a run, new or not: what stands of it is asked for with its next call. Keep what it returns for
   * as long as the run stays here. Throws a `GatewayError` with code `bad_run` for an id that no log takes.
   */
  run({ runId, agentId = null, sessionId = null }: RunToServe): Run {
    const identity = { runId, agentId, sessionId };
    const probe = {
      type: 'attach',
      ...identity,
      gatewayId: '',
      source: '',
      sequence: 1,
      observedAt: 0,
    } as const;
    const breach = eventBreach(probe);
    if (breach !== null) throw new GatewayError('bad_run', `Not a run: ${breach.detail}.`);
    return new Run(this.#parts.desk, identity, () => !this.#parts.closing.signal.aborted);
  }

  /** Counters and gauges, as of now. */
  stats(): GatewayStats {
    const { desk, tally, trouble } = this.#parts;
    const { roster, progress, inForce, scribe } = desk;
    return {
      ...structuredClone(tally),
      runs: roster.size,
      held: scribe.held,
      reachable: trouble.isNowhere,
      stale: progress.stale(),
      policyRevision: inForce.revision,
      enforce: inForce.policy.enforce,
    };
  }

  /**
   * Sends what is held, for at most so many milliseconds (default 5 s), and closes the log. What cannot be sent
   * by then is told as dropped.
   */
  async close({ withinMs = CLOSE_MS }: { readonly withinMs?: number } = {}): Promise<void> {
    const { closing, desk } = this.#parts;
    const { clock, log } = desk.options;
    closing.abort();
    this.#callOffRound();
    const deadline = deadlineIn(withinMs, clock);
    await desk.scribe.close(deadline.passed);
    await Promise.race([Promise.all([log.log.close(), this.#listening]), deadline.passed]);
    deadline.callOff();
  }

  #nextRound(): () => void {
    const { desk } = this.#parts;
    return desk.options.clock.later(ROUND_MS, () => {
      const { roster, inForce, options } = desk;
      tellTurned(desk);
      roster.forgetSilentSince(options.clock.now() - inForce.policy.idleMs + AHEAD_MS);
      this.#callOffRound = this.#nextRound();
    });
  }
}

/**
 * Connects a gateway to the log: from here on it hears every verdict. Rejects with the log's error when the log
 * cannot be reached now, and with a `GatewayError` for a wrong option.
 */
export async function connect(options: GatewayOptions): Promise<Gateway> {
  const settled = settle(options);
  const topics = topicNames(settled.prefix);
  const { reader } = settled.log.log;
  const control = await reader.ranges(topics.control);
  const events = await reader.ranges(topics.events);
  if (events.length !== control.length) {
    throw new GatewayError(
      'bad_topics',
      `${topics.events} has ${events.length} partitions and ${topics.control} ${control.length}; they must have the same number. See "loopwarden topics plan".`,
    );
  }
  const parts = assemble(settled, { topics, partitions: events.length });
  const policies = await readPolicies(parts, topics.policies);
  const ears = control.map(({ partition, end }) =>
    followControl(parts, { topic: topics.control, partition, from: end }),
  );
  return new Gateway(parts, Promise.all([...ears, followPolicies(parts, policies)]));
}
