import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type Gateway, type GatewayFact } from '@loopwarden/gateway';
import { openEmbedded } from '@loopwarden/gateway/embedded';
import { waitUntil } from '../setup/processes.ts';

const PATIENCE_MS = 60_000;
const THINKS_MS = 20;

/** An agent that does the same again and again, behind a gateway of its own, until it is stopped. */
export class LoopingAgent {
  readonly facts: GatewayFact[];
  readonly #gateway: Gateway;
  readonly #loop: Promise<void>;
  #leaving = false;
  /** Calls, and how many of them were refused. */
  #refused = 0;

  private constructor(gateway: Gateway, facts: GatewayFact[]) {
    this.#gateway = gateway;
    this.facts = facts;
    this.#loop = this.#live();
  }

  static async start(dir: string, prefix: string): Promise<LoopingAgent> {
    const facts: GatewayFact[] = [];
    const log = await openEmbedded({ dir });
    const gateway = await connect({ log, gatewayId: 'agent', prefix, observer: (fact) => facts.push(fact) });
    return new LoopingAgent(gateway, facts);
  }

  /** Resolves when calls are refused from now on. */
  async obeys(): Promise<void> {
    const before = this.#refused;
    await waitUntil({
      ready: async () => this.#refused > before,
      alive: () => true,
      withinMs: PATIENCE_MS,
      explain: () => 'No call of a looping agent is refused.',
    });
  }

  /** Ends in good order. Resolves with what the gateway said. */
  async leave(): Promise<{ readonly facts: readonly GatewayFact[] }> {
    this.#leaving = true;
    await this.#loop;
    await this.#gateway.close();
    return { facts: this.facts };
  }

  /** A life ends after some calls, for the fleet's policy would else stop it once and for all. */
  async #live(): Promise<void> {
    const run = this.#gateway.run({ runId: 'looping-agent' });
    while (!this.#leaving) {
      const { ran } = await run.guard('read', { path: '/a' }, () => 'same');
      this.#refused += Number(!ran);
      await sleep(THINKS_MS);
    }
  }
}
