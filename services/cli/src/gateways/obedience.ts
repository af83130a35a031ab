import {
  decide,
  forgetRun,
  type GatewayEvent,
  hear,
  openStandings,
  type Ref,
  type Standings,
  type ToolCall,
  type Verdict,
  verdictId,
} from '@loopwarden/detection';
import { type GatewayAccount, newAccount } from './gateway-account.ts';

/** A verdict as it stands in `control`. */
export interface PublishedVerdict {
  readonly verdict: Verdict;
  readonly lineage: number;
  /** Record timestamp, epoch milliseconds. */
  readonly at: number;
  /** Offset of the event that led to it; null: none did (a renewed one). */
  readonly trigger: number | null;
}

/** An event of a gateway as it stands in `events`. */
export interface PlacedEvent {
  readonly event: GatewayEvent;
  readonly offset: number;
  /** Record timestamp, epoch milliseconds. */
  readonly at: number;
}

/**
 * Who obeys: a fold over one partition of both topics. An event is held against the verdicts that the events before
 * it led to, whether they had been published by then or not.
 */
export class Obedience {
  readonly #accounts: Map<string, GatewayAccount>;
  readonly #verdicts: readonly PublishedVerdict[];
  readonly #published = new Map<string, number>();
  readonly #standings: Standings = openStandings();
  readonly #numbers = new Map<string, number>();
  /** Gateways and the verdicts that they have enforced. */
  readonly #heeded = new Set<string>();
  #next = 0;

  /** @param verdicts of the partition, in the order of `control` */
  constructor(verdicts: readonly PublishedVerdict[], accounts: Map<string, GatewayAccount>) {
    this.#verdicts = verdicts;
    this.#accounts = accounts;
    for (const { verdict, at } of verdicts) {
      const id = verdictId(verdict);
      if (!this.#published.has(id)) this.#published.set(id, at);
    }
  }

  /** Takes the next event of the partition in. */
  take({ event, offset, at }: PlacedEvent): void {
    this.#hearBefore(offset);
    const account = this.#account(event.gatewayId);
    if (!this.#isNew(event, account)) return;
    account.runs.add(event.runId);
    account.lastAt = Math.max(account.lastAt, at);
    switch (event.type) {
      case 'tool_call':
        this.#call(event, at, account);
        break;
      case 'tool_result':
        if (event.outcome === 'vetoed') this.#veto(event, at, account);
        break;
      case 'run_end':
        if (event.verdict !== null) account.aborts += 1;
        this.#enforced(event, at, account);
        forgetRun(this.#standings, event.runId);
    }
  }

  #call(event: ToolCall, at: number, account: GatewayAccount): void {
    const { despite, delivered } = event;
    account.calls += 1;
    account.warnings += delivered.length;
    if (despite !== null) {
      account.despite[despite.why] = (account.despite[despite.why] ?? 0) + 1;
      return;
    }
    const { action, verdict } = decide(this.#standings, event);
    if (verdict === null || (action !== 'block' && action !== 'abort')) return;
    if (knows(event.seen, verdict)) {
      account.disobeyed += 1;
      return;
    }
    account.late += 1;
    account.lateByMs.push(Math.max(0, (this.#publishedAt(event.runId, verdict) ?? at) - at));
  }

  #veto(event: Vetoing, at: number, account: GatewayAccount): void {
    if (event.verdict === null) account.refusals += 1;
    else account.vetoes += 1;
    this.#enforced(event, at, account);
  }

  #enforced({ runId, verdict }: Vetoing, at: number, { gatewayId, enforcedAfterMs }: GatewayAccount): void {
    if (verdict === null) return;
    const published = this.#publishedAt(runId, verdict);
    const key = JSON.stringify([gatewayId, runId, verdict.epoch, verdict.sequence]);
    if (published === undefined || this.#heeded.has(key)) return;
    this.#heeded.add(key);
    enforcedAfterMs.push(Math.max(0, at - published));
  }

  #publishedAt(runId: string, ref: Ref): number | undefined {
    return this.#published.get(verdictId({ runId, ...pick(ref) }));
  }

  /** Hears what was led to by events before an offset. */
  #hearBefore(offset: number): void {
    for (; this.#next < this.#verdicts.length; this.#next += 1) {
      const published = this.#verdicts[this.#next];
      if (published === undefined || (published.trigger ?? -1) >= offset) return;
      const { verdict, lineage } = published;
      hear(this.#standings, verdict, { partition: 0, lineage });
    }
  }

  /** Counts what is missing in the numbers; what comes again is nothing new. */
  #isNew({ runId, source, sequence }: GatewayEvent, account: GatewayAccount): boolean {
    const key = JSON.stringify([runId, source]);
    const last = this.#numbers.get(key);
    if (last !== undefined && sequence <= last) return false;
    if (last !== undefined) account.lost += sequence - last - 1;
    this.#numbers.set(key, sequence);
    return true;
  }

  #account(gatewayId: string): GatewayAccount {
    const account = this.#accounts.get(gatewayId) ?? newAccount(gatewayId);
    this.#accounts.set(gatewayId, account);
    return account;
  }
}

interface Vetoing {
  readonly runId: string;
  readonly verdict: Ref | null;
}

/** Whether a gateway that had seen so much had seen the verdict. */
function knows(seen: Ref | null, { epoch, sequence }: Verdict): boolean {
  return seen !== null && (seen.epoch > epoch || (seen.epoch === epoch && seen.sequence >= sequence));
}

const pick = ({ epoch, sequence }: Ref): Ref => ({ epoch, sequence });
