import type { CallIdentity, Verdict } from '@loopwarden/detection';
import { refuses } from './weigh.ts';

/** A call that ran. */
interface RanCall {
  readonly callId: string | null;
  readonly identity: CallIdentity;
  /** Sequence of its event. */
  readonly sequence: number;
  /** Epoch milliseconds. */
  readonly startedAt: number;
}

/** Calls that may still bring a result; a host that never reports any must not fill the memory. */
const MAX_OPEN = 256;
/** Calls remembered to find those that ran before the verdict that refuses them came. */
const MAX_RAN = 64;

/** The calls of one run, as far as they are still of interest. */
export class CallBook {
  readonly #open = new Map<string, RanCall>();
  readonly #refused = new Set<string>();
  #ran: RanCall[] = [];

  /** `despite`: it ran against a verdict that was known, so no later one makes it late. */
  began(call: RanCall, { despite }: { readonly despite: boolean }): void {
    if (!despite) {
      this.#ran.push(call);
      if (this.#ran.length > MAX_RAN) this.#ran.shift();
    }
    if (call.callId === null) return;
    this.#refused.delete(call.callId);
    this.#open.set(call.callId, call);
    dropFirst(this.#open, MAX_OPEN);
  }

  refused(callId: string | null): void {
    if (callId === null) return;
    this.#open.delete(callId);
    this.#refused.add(callId);
    dropFirst(this.#refused, MAX_OPEN);
  }

  /** Whether the call was refused, so that its blocked result was reported already. Answers once. */
  wasRefused(callId: string | null): boolean {
    return callId !== null && this.#refused.delete(callId);
  }

  /** The call that a result belongs to, which is no longer open then. */
  returned(callId: string | null): RanCall | null {
    if (callId === null) return null;
    const call = this.#open.get(callId) ?? null;
    this.#open.delete(callId);
    return call;
  }

  /** Forgets all calls. */
  clear(): void {
    this.#open.clear();
    this.#refused.clear();
    this.#ran = [];
  }

  /**
   * The calls that ran after the event that led to a verdict and that it refuses. Each is told once. Only where
   * that event is of the same source can the two be ordered.
   */
  takeLate(verdict: Verdict, source: string): readonly RanCall[] {
    if (!refuses(verdict) || verdict.trigger.source !== source) return [];
    const isLate = ({ sequence, identity }: RanCall): boolean =>
      sequence > verdict.trigger.sequence && covers(verdict, identity);
    const late = this.#ran.filter(isLate);
    if (late.length > 0) this.#ran = this.#ran.filter((call) => !isLate(call));
    return late;
  }
}

function covers({ match }: Verdict, { tool, args }: CallIdentity): boolean {
  if (match.scope === 'run') return true;
  return match.tool === tool && (match.scope === 'tool' || match.args === args);
}

function dropFirst(entries: Map<string, unknown> | Set<string>, most: number): void {
  if (entries.size <= most) return;
  for (const oldest of entries.keys()) {
    entries.delete(oldest);
    return;
  }
}
