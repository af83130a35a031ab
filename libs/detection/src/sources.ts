import type { RunEvent, UnknownEvent } from './event.ts';
import type { RunState } from './run.ts';

/** Producers remembered per run, gateways and operators apart (wire contract, section 4). */
const SOURCES_MAX = 8;

/** The outcome of looking an event's number up: how many numbers were left out, or a duplicate. */
type Numbering = { readonly duplicate: true } | { readonly duplicate: false; readonly missed: number };

/**
 * Drops what was seen before: an event whose number is not above the highest of its run and source. The
 * first number heard of a source may be any.
 */
export function admit(run: RunState, event: RunEvent | UnknownEvent): Numbering {
  const index = run.sources.findIndex(({ source }) => source === event.source);
  const known = run.sources[index];
  if (known === undefined) {
    const operator = event.type === 'release';
    run.sources.push({ source: event.source, operator, highest: event.sequence });
    forgetOldest(run, operator);
    return { duplicate: false, missed: 0 };
  }
  if (event.sequence <= known.highest) return { duplicate: true };
  const missed = event.sequence - known.highest - 1;
  known.highest = event.sequence;
  run.sources.splice(index, 1);
  run.sources.push(known);
  return { duplicate: false, missed };
}

function forgetOldest(run: RunState, operator: boolean): void {
  const alike = run.sources.filter((mark) => mark.operator === operator);
  if (alike.length > SOURCES_MAX)
    run.sources.splice(run.sources.indexOf(alike[0] as (typeof alike)[number]), 1);
}
