import { matchKey, signatureKey, type ToolCall, type ToolResult, type Verdict } from '@loopwarden/detection';

/** A call as evidence: its number in the run, from 1, and what it asked for in short. */
interface RecentCall {
  readonly number: number;
  readonly key: string;
  readonly tool: string;
  readonly callId: string | null;
  readonly args: string;
  /** Null while nothing came back. */
  outcome: string | null;
}

/** What speaks for a verdict. */
interface Evidence {
  readonly calls: readonly RecentCall[];
  /** Every call (of a ping-pong: of each side) that came back brought the same. */
  readonly sameResult: boolean;
}

/** The last calls of a run: enough to show what a verdict rests on. */
export class RecentCalls {
  readonly #calls: RecentCall[] = [];
  readonly #limit: number;
  #number = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Calls of the run so far. */
  get total(): number {
    return this.#number;
  }

  get newest(): RecentCall | undefined {
    return this.#calls.at(-1);
  }

  made({ tool, args, callId }: ToolCall, argsText: string): void {
    this.#number += 1;
    const key = signatureKey(tool, args);
    this.#calls.push({ number: this.#number, key, tool, callId, args: argsText, outcome: null });
    if (this.#calls.length > this.#limit) this.#calls.shift();
  }

  returned({ tool, args, callId, outcome, digest }: ToolResult): void {
    if (outcome === 'none' || outcome === 'vetoed') return;
    const call = this.#calls.findLast(
      (one) =>
        one.outcome === null &&
        (callId === null || one.callId === callId) &&
        (args === null || one.key === signatureKey(tool, args)),
    );
    if (call !== undefined) call.outcome = `${outcome}:${digest}`;
  }

  evidence(verdict: Verdict): Evidence {
    const calls = this.#callsFor(verdict);
    const outcomes = Map.groupBy(calls, ({ key }) => key);
    const sameResult = [...outcomes.values()].every(
      (side) => new Set(side.flatMap(({ outcome }) => outcome ?? [])).size === 1,
    );
    return { calls, sameResult };
  }

  #callsFor({ detector, match, count }: Verdict): readonly RecentCall[] {
    if (detector === 'ping_pong') return this.#alternation(matchKey(match)).slice(-(count - 1));
    const key = match.scope === 'signature' ? matchKey(match) : null;
    return this.#calls
      .filter((call) => (key === null ? call.tool === match.tool : call.key === key))
      .slice(-count);
  }

  /** The tail in which the newest signature and the one whose turn is next alternate. */
  #alternation(next: string): readonly RecentCall[] {
    const last = this.newest?.key;
    const backwards = this.#calls.toReversed();
    const end = backwards.findIndex(({ key }, index) => key !== (index % 2 === 0 ? last : next));
    return backwards.slice(0, end < 0 ? backwards.length : end).toReversed();
  }
}
