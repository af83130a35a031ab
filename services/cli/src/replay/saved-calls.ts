import type { Decision, ToolCall, ToolResult } from '@loopwarden/detection';
import type { Saved } from './report.ts';

/**
 * What enforcement would have spared a run: each call that was made while a block or an abort stood for it,
 * with its duration; after an abort all the time until the run's last event.
 */
export class SavedCalls {
  /** When the refused calls that are under way began, by call. */
  readonly #underWay = new Map<string, number>();
  #calls = 0;
  #callsMs = 0;
  #abortedAt: number | null = null;

  /** Verdicts that would only have been observed count as well: the question is what they could save. */
  called(call: ToolCall, { verdict, shadow }: Decision, at: number): void {
    const refusing = [verdict, shadow].find((one) => one?.action === 'block' || one?.action === 'abort');
    if (refusing === undefined || refusing === null) return;
    this.#calls += 1;
    if (refusing.action === 'abort') this.#abortedAt ??= refusing.at;
    else this.#underWay.set(keyOf(call), at);
  }

  returned(result: ToolResult, at: number): void {
    const key = keyOf(result);
    const began = this.#underWay.get(key);
    if (began === undefined) return;
    this.#underWay.delete(key);
    this.#callsMs += result.durationMs ?? Math.max(0, at - began);
  }

  /** @param endedAt time of the run's last event */
  total(endedAt: number): Saved {
    const afterAbort = this.#abortedAt === null ? 0 : Math.max(0, endedAt - this.#abortedAt);
    return { calls: this.#calls, ms: this.#callsMs + afterAbort };
  }
}

function keyOf({ callId, tool, args }: ToolCall | ToolResult): string {
  return callId ?? `${tool}:${args}`;
}
