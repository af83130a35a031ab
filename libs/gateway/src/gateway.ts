import { assemble, type Parts, topicNames } from './assemble.ts';
import { MAX_TIMER_MS } from './check-options.ts';
import { deadlineIn } from './clock.ts';
import { tellTurned } from './control-ear.ts';
import { AHEAD_MS } from './decider.ts';
import { followControl, followPolicies, readPolicies } from './ears.ts';
import { GatewayError } from './gateway-error.ts';
import { type GatewayOptions, settle } from './gateway-options.ts';
import { fieldsOf, refuse, shown } from './given.ts';
import { readRun } from './read-run.ts';
import { Run } from './run.ts';
import type { Tally } from './tally.ts';

/** What a gateway knows of itself. */
export interface GatewayStats extends Readonly<Tally> {
  readonly gatewayId: string;
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
/** How long after the end of a run verdicts may still come that its last calls were late for. */
const LATE_MS = 60_000;

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
   * as long as the run stays here. Throws a `GatewayError`: `bad_run` for what no log takes, `closed` after `close`.
   */
  run(run: RunToServe): Run {
    return new Run(this.#parts.desk, readRun(run));
  }

  /** Counters and gauges, as of now. */
  stats(): GatewayStats {
    const { desk, tally, trouble } = this.#parts;
    const { roster, progress, inForce, scribe } = desk;
    return {
      ...structuredClone(tally),
      gatewayId: desk.options.gatewayId,
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
   * by then is told as dropped; a decision that waits is made at once, as at its deadline. Rejects with `bad_option`
   * for what is no time to wait.
   */
  async close(options: { readonly withinMs?: number } = {}): Promise<void> {
    const withinMs = timeToClose(options);
    const { closing, desk } = this.#parts;
    const { clock, log, strict } = desk.options;
    closing.abort();
    desk.progress.pokeAll();
    this.#callOffRound();
    const deadline = deadlineIn(withinMs, clock);
    if (strict !== null) {
      const decided = Promise.all([...desk.roster.all()].map(({ turn }) => turn));
      await Promise.race([decided, deadline.passed]);
    }
    await desk.scribe.close(deadline.passed);
    desk.progress.pokeAll();
    await Promise.race([Promise.all([log.log.close(), this.#listening]), deadline.passed]);
    deadline.callOff();
  }

  #nextRound(): () => void {
    const { desk } = this.#parts;
    return desk.options.clock.later(ROUND_MS, () => {
      const { roster, inForce, options } = desk;
      const now = options.clock.now();
      tellTurned(desk);
      roster.forgetSilentSince(now - inForce.policy.idleMs + AHEAD_MS);
      roster.forgetCallsOfEndedSince(now - LATE_MS);
      this.#callOffRound = this.#nextRound();
    });
  }
}

function timeToClose(options: unknown): number {
  const { withinMs = CLOSE_MS } = fieldsOf('What was given to close', options);
  if (typeof withinMs === 'number' && withinMs >= 0 && withinMs <= MAX_TIMER_MS) return withinMs;
  return refuse(`withinMs is ${shown(withinMs)}; say how many milliseconds closing may take.`);
}

/**
 * Connects a gateway to the log: from here on it hears every verdict. Rejects with the log's error when the log
 * cannot be reached now, and with a `GatewayError` for a wrong option; the log is the caller's then, to close or to try
 * again with. Once connected, the gateway closes it.
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
