import type { Decision, ToolCall, ToolResult } from '@loopwarden/detection';
import type { Saved } from './report.ts';

/**
 * What enforcement would have spared a run: each call that was made while a block or an abort stood for it,
 * with its duration; after an abort all the time until the run's last event. Where times were not recorded the
 * sum is not known.
 */
export class SavedCalls {
  /** When the refused calls that are under way began, by call. */
  readonly #underWay = new Map<string, number | null>();
  #calls = 0;
  #callsMs: number | null = 0;
  #abortedAt: number | null = null;

  /**
   * Verdicts that would only have been observed count as well: the question is what they could save.
   * @param at null: not recorded
   */
  called(call: ToolCall, { verdict, shadow }: Decision, at: number | null): void {
    const refusing = [verdict, shadow].find((one) => one?.action === 'block' || one?.action === 'abort');
    if (refusing === undefined || refusing === null) return;
    this.#calls += 1;
    if (refusing.action === 'abort') this.#abortedAt ??= refusing.at;
    else this.#underWay.set(keyOf(call), at);
  }

  /** @param at null: not recorded */
  returned(result: ToolResult, at: number | null): void {
    const key = keyOf(result);
    const began = this.#underWay.get(key);
    if (began === undefined) return;
    this.#underWay.delete(key);
    const ms = result.durationMs ?? (at === null || began === null ? null : Math.max(0, at - began));
    this.#callsMs = sum(this.#callsMs, ms);
  }

  /** @param endedAt time of the run's last event; null: not all of its times were recorded */
  total(endedAt: number | null): Saved {
    return { calls: this.#calls, ms: sum(this.#callsMs, this.#afterAbort(endedAt)) };
  }

  #afterAbort(endedAt: number | null): number | null {
    if (this.#abortedAt === null) return 0;
    return endedAt === null ? null : Math.max(0, endedAt - this.#abortedAt);
  }
}

/** Null as soon as a part is not known. */
function sum(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a + b;
}

function keyOf({ callId, tool, args }: ToolCall | ToolResult): string {
  return callId ?? `${tool}:${args}`;
}
