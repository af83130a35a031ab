import type { PublicEvent } from './public-event.ts';

/** Whose turns these are. */
interface ChainIdentity {
  /** Names the conversation: a session, or a session and one of its side chains. */
  readonly name: string;
  readonly sessionId: string;
  readonly agentId: string | null;
}

interface Call {
  readonly callId: string | null;
  readonly tool: string;
  readonly args: unknown;
}

/** What came back: `result`, `error`, or neither. */
export interface Returned {
  readonly callId: string | null;
  /** Finds the call of a result that names no call. */
  readonly tool?: string;
  readonly outcome: { readonly result?: unknown; readonly error?: unknown };
}

/** Calls that wait for a result; more are under way in no host. */
const MAX_PENDING = 256;
const OMITTED_WHEN_NULL = new Set(['agentId', 'callId', 'at']);

/**
 * One conversation of an agent as runs. A run goes from a prompt to the next: work that is repeated because
 * a person asks again is no loop. A host that sends the same prompt again after a compaction goes on with the run.
 */
export class Turns {
  readonly #identity: ChainIdentity;
  /** Calls without a result, oldest first. */
  #pending: Call[] = [];
  #turn = 1;
  #worked = false;
  #answered = false;
  #compacted = false;
  #prompt: string | null = null;
  #at: number | null = null;
  /** Of the last thing that the agent did. */
  #activeAt: number | null = null;

  constructor(identity: ChainIdentity) {
    this.#identity = identity;
  }

  /** The time of the lines that follow: ISO 8601 or milliseconds. Anything else keeps the last. */
  time(at: unknown): void {
    const ms = typeof at === 'string' ? Date.parse(at) : at;
    if (typeof ms === 'number' && Number.isFinite(ms)) this.#at = ms;
  }

  prompt(text: string): readonly PublicEvent[] {
    const sentAgain = this.#compacted && !this.#answered && text === this.#prompt;
    this.#prompt = text;
    if (sentAgain) return [];
    return this.#next();
  }

  /** A call that was asked for and did not run; what comes back of it says so. */
  refused(call: Call): readonly PublicEvent[] {
    this.#wait(call);
    return [];
  }

  call(call: Call): readonly PublicEvent[] {
    this.#worked = true;
    this.#answered = false;
    this.#activeAt = this.#at;
    this.#wait(call);
    return [this.#event('tool_call', { ...call })];
  }

  /** A result whose call the transcript does not hold says nothing: its arguments are not known. */
  returned({ callId, tool, outcome }: Returned): readonly PublicEvent[] {
    const call =
      callId === null
        ? this.#pending.find((one) => tool === undefined || one.tool === tool)
        : this.#pending.findLast((one) => one.callId === callId);
    if (call === undefined) return [];
    this.#pending = this.#pending.filter((one) => one !== call);
    this.#worked = true;
    this.#answered = false;
    this.#activeAt = this.#at;
    return [this.#event('tool_result', { ...call, error: outcome.error, result: outcome.result })];
  }

  /** The agent said something without asking for a tool. */
  answer(): readonly PublicEvent[] {
    this.#answered = true;
    this.#activeAt = this.#at;
    return [];
  }

  /** By hand or after an answer nothing goes on: only a compaction within a run arms the guard. */
  compaction(byHand: boolean): readonly PublicEvent[] {
    const retry = !byHand && !this.#answered;
    if (!retry && !this.#worked) return [];
    this.#compacted ||= retry;
    this.#worked = true;
    return [this.#event('compaction', { retry })];
  }

  end(status: 'completed' | 'aborted' = 'completed'): readonly PublicEvent[] {
    return this.#next(status);
  }

  #next(status = 'completed'): readonly PublicEvent[] {
    const ended = this.#worked ? [this.#event('run_end', { status }, this.#activeAt)] : [];
    if (this.#worked) this.#turn += 1;
    this.#worked = false;
    this.#answered = false;
    this.#compacted = false;
    this.#pending = [];
    return ended;
  }

  #wait(call: Call): void {
    this.#pending.push(call);
    if (this.#pending.length > MAX_PENDING) this.#pending.shift();
  }

  #event(type: string, fields: Record<string, unknown>, at = this.#at): PublicEvent {
    const { name, sessionId, agentId } = this.#identity;
    const all = { type, runId: `${name}#${this.#turn}`, agentId, sessionId, ...fields, at };
    const told = Object.entries(all).filter(
      ([key, value]) => value !== undefined && (value !== null || !OMITTED_WHEN_NULL.has(key)),
    );
    return { type, runId: all.runId, ...Object.fromEntries(told) };
  }
}
