import type { PolicyDocument } from '@loopwarden/detection';
import { connect, type Gateway, type GatewayFact, type GatewayOptions } from '@loopwarden/gateway';
import type { TopicSpec } from '@loopwarden/stream';
import {
  createMemoryLog,
  type Faults,
  inOrder,
  type MemoryBroker,
  type Schedule,
} from '@loopwarden/stream/memory';
import { createEmbeddedCodec } from '@loopwarden/wire';
import { SMALL } from '../given.ts';
import { CONTROL, EVENTS, Judging, POLICIES } from './judging.ts';
import { ManualClock } from './manual-clock.ts';

interface RigOptions {
  readonly partitions?: number;
  readonly policy?: PolicyDocument;
  readonly faults?: Faults;
  readonly schedule?: Schedule;
}

/** A gateway of a test, with what it told. */
export interface Connected {
  readonly gateway: Gateway;
  readonly facts: GatewayFact[];
  /** The facts of one kind. */
  told<K extends GatewayFact['kind']>(kind: K): Extract<GatewayFact, { kind: K }>[];
}

/** A log in memory, detection behind it, and gateways before it, in a time that the test moves. */
export class Rig {
  readonly clock = new ManualClock();
  readonly broker: MemoryBroker;
  readonly judging: Judging;
  readonly codec = createEmbeddedCodec();
  readonly partitions: number;
  readonly #gateways: Gateway[] = [];

  constructor({
    partitions = 1,
    policy = SMALL,
    faults = () => undefined,
    schedule = inOrder,
  }: RigOptions = {}) {
    this.partitions = partitions;
    this.broker = createMemoryLog({ clock: this.clock, topics: topicsOf(partitions), faults, schedule });
    this.judging = new Judging(this.broker, this.codec, policy);
    this.judging.policy(policy);
  }

  async connect(options: Partial<GatewayOptions> = {}): Promise<Connected> {
    const facts: GatewayFact[] = [];
    const gatewayId = options.gatewayId ?? 'gw';
    const gateway = await connect({
      log: { log: this.broker.connect(gatewayId), codec: this.codec, findSchema: async () => null },
      gatewayId,
      startId: `s${this.#gateways.length + 1}`,
      clock: this.clock,
      observer: (fact) => facts.push(fact),
      ...options,
    });
    this.#gateways.push(gateway);
    await this.settle();
    const told = <K extends GatewayFact['kind']>(kind: K) =>
      facts.filter((fact): fact is Extract<GatewayFact, { kind: K }> => fact.kind === kind);
    return { gateway, facts, told };
  }

  /** Lets everything that is under way arrive. */
  async settle(turns = 20): Promise<void> {
    for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }

  /** Events reach the log, detection judges them, verdicts reach the gateways. */
  async round(): Promise<void> {
    await this.settle();
    this.judging.catchUp();
    await this.settle();
  }

  async close(): Promise<void> {
    const closed = Promise.all(this.#gateways.map((gateway) => gateway.close({ withinMs: 1_000 })));
    await this.settle();
    this.clock.advance(1_000);
    await closed;
  }
}

function topicsOf(partitions: number): TopicSpec[] {
  const spec = { cleanup: 'delete', retentionMs: null, timestamps: 'append' } as const;
  return [
    { ...spec, name: EVENTS, partitions },
    { ...spec, name: CONTROL, partitions },
    { ...spec, name: POLICIES, partitions: 1 },
  ];
}
