import type { CallToMake } from './decider.ts';
import { shown } from './given.ts';
import { reasonOf } from './reason-of.ts';
import type { CallMade } from './reporter.ts';

/** What could be read of something that a host told of a call, and a sentence for all that could not. */
export interface Reading<T> {
  /** Null: nothing can be made of it. */
  readonly value: T | null;
  readonly faults: readonly string[];
}

/** What a host is about to do, which may not be what its type says. Never throws. */
export function readCallToMake(raw: CallToMake): Reading<CallToMake> {
  return read(raw, (fields, faults) => {
    const { tool, callId, args, unstoppable } = fields;
    if (typeof tool !== 'string') return unnamed(tool, faults);
    if (unstoppable !== undefined && typeof unstoppable !== 'boolean') {
      faults.push(`unstoppable is ${shown(unstoppable)}; give true or false.`);
    }
    return {
      tool: tool.toWellFormed(),
      callId: callIdOf(callId, faults),
      args,
      unstoppable: unstoppable === true,
    };
  });
}

/** What a call brought back, likewise. */
export function readCallMade(raw: CallMade): Reading<CallMade> {
  return read(raw, (fields, faults) => {
    const { tool, callId, args, result, error, durationMs } = fields;
    if (typeof tool !== 'string') return unnamed(tool, faults);
    const made = { tool: tool.toWellFormed(), callId: callIdOf(callId, faults), args, result, error };
    if (typeof durationMs === 'number') return { ...made, durationMs };
    if (durationMs !== undefined) faults.push(`durationMs is ${shown(durationMs)}; give milliseconds.`);
    return made;
  });
}

/** Whether a run goes on after its compaction. */
export function readRetry(raw: { readonly retry?: boolean }): Reading<boolean> {
  return read(raw, ({ retry = true }, faults) => {
    if (typeof retry === 'boolean') return retry;
    faults.push(`retry is ${shown(retry)}; give true or false. The compaction is left out.`);
    return null;
  });
}

const STATUSES = ['completed', 'failed', 'aborted'] as const;

/** How a run has ended. */
export function readStatus(raw: unknown): Reading<(typeof STATUSES)[number]> {
  const status = STATUSES.find((known) => known === raw) ?? null;
  if (status !== null) return { value: status, faults: [] };
  const choices = STATUSES.join(', ');
  return {
    value: null,
    faults: [`The status is ${shown(raw)}; give one of ${choices}. The end is left out.`],
  };
}

type Fields = Readonly<Record<string, unknown>>;

function read<T>(raw: unknown, take: (fields: Fields, faults: string[]) => T | null): Reading<T> {
  if (typeof raw !== 'object' || raw === null) {
    return { value: null, faults: [`What was told is ${shown(raw)}; give an object. It is left out.`] };
  }
  const faults: string[] = [];
  try {
    return { value: take(raw as Fields, faults), faults };
  } catch (error) {
    return {
      value: null,
      faults: [`What was told cannot be read: ${reasonOf(error)}. Give plain fields. It is left out.`],
    };
  }
}

function unnamed(tool: unknown, faults: string[]): null {
  faults.push(`tool is ${shown(tool)}; give the name of the tool. The call is left out.`);
  return null;
}

function callIdOf(callId: unknown, faults: string[]): string | null {
  if (typeof callId === 'string') return callId.toWellFormed();
  if (callId !== undefined && callId !== null) {
    faults.push(`callId is ${shown(callId)}; give a text, or leave it out. It is left out.`);
  }
  return null;
}
