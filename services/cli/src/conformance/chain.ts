import {
  type Attach,
  compilePolicy,
  type Decision,
  decide,
  endRun,
  forgetRun,
  handOut,
  hear,
  type Judgement,
  judge,
  type LoopEvent,
  openPartition,
  openStandings,
  type Partition,
  type Policy,
  type Standings,
  type ToolCall,
} from '@loopwarden/detection';

/** A gateway forgets a run this much before the detector does (wire contract, section 6). */
const FORGET_EARLIER_MS = 60_000;

/** Under which the gateway of the chain numbers what it adds to the events that it is given. */
const GATEWAY_SOURCE = 'chain';

/** What became of one event: the gateway's decision if one was asked for, then what the detector made of it. */
export interface Step {
  /** Null: no decision was asked for, or the policy enforces nothing. */
  readonly decision: Decision | null;
  /** Null: the call was refused and never entered the log. */
  readonly judgement: Judgement | null;
}

/**
 * The whole chain without a transport: event → detector → verdicts → a gateway's standings → decision. One
 * partition, one gateway; what the detector publishes is heard before the next event.
 */
export class Chain {
  readonly #partition: Partition;
  #policy: Policy;
  readonly #standings: Standings = openStandings();
  /** When the gateway last wrote or heard of a run that it serves. */
  readonly #served = new Map<string, number>();
  /** The runs that it began to serve with an attach; any other gets one before its next decision. */
  readonly #attached = new Set<string>();
  /** Highest sequence seen, by run and source. */
  readonly #highest = new Map<string, number>();
  /** Attaches written, by run: the gateway's own numbering. */
  readonly #attaches = new Map<string, number>();

  constructor(policy: Policy) {
    this.#policy = policy;
    this.#partition = openPartition({ policy, revision: 0 });
  }

  /** In force. */
  get policy(): Policy {
    return this.#policy;
  }

  /** @param at the record's time and the gateway's now, epoch milliseconds */
  take(event: LoopEvent, at: number): Step {
    if (event.type === 'policy' || event.type === 'release' || this.#isRedelivery(event)) {
      return { decision: null, judgement: this.#judge(event, at) };
    }
    const step = event.type === 'tool_call' ? this.#call(event, at) : this.#write(event, at);
    if (event.type === 'run_end') {
      endRun(this.#standings, event.runId);
      this.#served.delete(event.runId);
      this.#attached.delete(event.runId);
    }
    return step;
  }

  #call(event: ToolCall, at: number): Step {
    this.#attach(event, at);
    const decision = this.#policy.enforce ? decide(this.#standings, event) : null;
    const { action, verdict } = decision ?? { action: 'allow', verdict: null };
    if (action === 'block' || action === 'abort') return { decision, judgement: null };
    const delivered = action === 'warn' && verdict !== null ? [handOut(this.#standings, verdict)] : [];
    return { ...this.#write({ ...event, delivered }, at), decision };
  }

  /** A decision about a run that is not served begins with an attach. */
  #attach({ runId, agentId, sessionId, gatewayId, observedAt }: ToolCall, at: number): void {
    this.#forgetSilent(runId, at);
    if (this.#attached.has(runId)) return;
    this.#attached.add(runId);
    const sequence = (this.#attaches.get(runId) ?? 0) + 1;
    this.#attaches.set(runId, sequence);
    const whose = { runId, agentId, sessionId, gatewayId, observedAt };
    const attach: Attach = { type: 'attach', ...whose, source: GATEWAY_SOURCE, sequence };
    this.#write(attach, at);
  }

  /** Before anything is written of a run: what was heard before a silence may hold no more. */
  #forgetSilent(runId: string, at: number): void {
    const heardAt = this.#served.get(runId);
    if (heardAt === undefined || at - heardAt <= this.#policy.idleMs - FORGET_EARLIER_MS) return;
    forgetRun(this.#standings, runId);
    this.#served.delete(runId);
    this.#attached.delete(runId);
  }

  #write(event: LoopEvent, at: number): Step {
    this.#forgetSilent(event.runId, at);
    this.#served.set(event.runId, at);
    return { decision: null, judgement: this.#judge(event, at) };
  }

  #judge(event: LoopEvent, at: number): Judgement {
    const judgement = judge(this.#partition, event, at);
    const applied = judgement.notes.some(({ kind }) => kind === 'policy');
    if (applied && event.type === 'policy') this.#policy = compilePolicy(JSON.parse(event.policy));
    for (const verdict of judgement.verdicts) {
      hear(this.#standings, verdict, { partition: 0, lineage: 0 });
      const heardAt = this.#served.get(verdict.runId);
      if (heardAt !== undefined) this.#served.set(verdict.runId, Math.max(heardAt, verdict.at));
    }
    return judgement;
  }

  #isRedelivery({ runId, source, sequence }: LoopEvent): boolean {
    const key = JSON.stringify([runId, source]);
    const highest = this.#highest.get(key) ?? 0;
    this.#highest.set(key, Math.max(highest, sequence));
    return sequence <= highest;
  }
}
