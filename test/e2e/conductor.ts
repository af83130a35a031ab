import type { GatewayStats, Strict } from '@loopwarden/gateway';
import { BEGINNING, type RunEnding, type RunPlan } from './agent-run.ts';
import { GatewayLink } from './gateway-link.ts';
import type { FromGateway, GatewayOrder, ServedRun } from './gateway-message.ts';
import type { DetectorProcess, Stage } from './stage.ts';

interface Mode {
  readonly strict: Strict | null;
  readonly thinkMs: number;
}

/** What a fleet did. */
export interface Played {
  readonly endings: readonly RunEnding[];
  /** How often a run went on at another gateway. */
  readonly moves: number;
  /** Runs that a gateway let go of when it was restarted. */
  readonly interrupted: number;
  /** Partitions that were alone when their detector was killed. */
  readonly orphaned: number;
  /** Of every gateway that was started. */
  readonly stats: readonly GatewayStats[];
  readonly tookMs: number;
}

const GATEWAYS = 3;
/** Runs under way at the same time. */
const SIDE_BY_SIDE = 60;
/** So much of the fleet is done when the detector is killed, and when the gateway is restarted. */
const KILL_AT = 0.25;
const RESTART_AT = 0.6;

/** Hands runs to gateways, moves them, and makes trouble. */
export class Conductor {
  readonly #stage: Stage;
  readonly #mode: Mode;
  readonly #links: (GatewayLink | null)[] = [];
  readonly #waiting: ServedRun[];
  /** For a gateway that is not there now. */
  readonly #held: ServedRun[][] = Array.from({ length: GATEWAYS }, () => []);
  readonly #endings: RunEnding[] = [];
  readonly #stats: GatewayStats[] = [];
  readonly #total: number;
  readonly #done = Promise.withResolvers<void>();
  #moves = 0;
  #interrupted = 0;
  #orphaned = 0;

  constructor(stage: Stage, mode: Mode, plans: readonly RunPlan[]) {
    this.#stage = stage;
    this.#mode = mode;
    this.#waiting = plans.map((plan) => ({ plan, progress: BEGINNING }));
    this.#total = plans.length;
    this.#done.promise.catch(() => undefined); // A gateway may crash before anybody waits.
  }

  /** Plays all runs to their ends while one of the detectors is killed and one of the gateways restarted. */
  async play(victim: DetectorProcess): Promise<Played> {
    await Promise.all(Array.from({ length: GATEWAYS }, (_, index) => this.#start(index)));
    const begun = performance.now();
    for (const run of this.#waiting.splice(0, SIDE_BY_SIDE)) this.#serve(run.plan.first, run);
    await Promise.all([this.#trouble(victim), this.#done.promise]);
    const tookMs = performance.now() - begun;
    for (const link of this.#links) if (link !== null) this.#stats.push(await link.leave());
    const seen = { moves: this.#moves, interrupted: this.#interrupted, orphaned: this.#orphaned };
    return { ...seen, endings: this.#endings, stats: this.#stats, tookMs };
  }

  close(): void {
    for (const link of this.#links) link?.kill();
  }

  async #trouble(victim: DetectorProcess): Promise<void> {
    await this.#until(KILL_AT);
    this.#orphaned = await victim.killAndStart();
    await this.#until(RESTART_AT);
    const index = 1;
    const link = this.#links[index];
    this.#links[index] = null;
    if (link) this.#stats.push(await link.leave());
    await this.#start(index);
    for (const run of this.#held[index]?.splice(0) ?? []) this.#serve(index, run);
  }

  async #start(index: number): Promise<void> {
    const { brokers, idFile, prefix } = this.#stage;
    const order: GatewayOrder = { gatewayId: `gw-${index}`, brokers, idFile, prefix, ...this.#mode };
    const link = await GatewayLink.start(order, {
      heard: (message) => this.#hear(index, message),
      crashed: (error) => this.#done.reject(error),
    });
    this.#links[index] = link;
  }

  #serve(index: number, run: ServedRun): void {
    const link = this.#links[index];
    if (link) link.serve(run);
    else this.#held[index]?.push(run);
  }

  #hear(index: number, message: FromGateway): void {
    if (message.kind === 'left') {
      if (message.why === 'move') this.#moves += 1;
      else this.#interrupted += 1;
      this.#serve(message.why === 'move' ? (index + 1) % GATEWAYS : index, message.run);
    }
    if (message.kind !== 'ended') return;
    this.#endings.push(message.ending);
    const [next] = this.#waiting.splice(0, 1);
    if (next !== undefined) this.#serve(next.plan.first, next);
    if (this.#endings.length === this.#total) this.#done.resolve();
  }

  async #until(share: number): Promise<void> {
    while (this.#endings.length < share * this.#total) {
      await Promise.race([this.#done.promise, new Promise((resolve) => setTimeout(resolve, 20))]);
    }
  }
}
