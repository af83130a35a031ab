import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../json-value.ts';
import { printable } from '../terminal/printable.ts';
import type { ConformanceCase } from './case.ts';

const LINES_SHOWN = 6;

/** Where a case and what it led to part, event by event, for people. */
export function differenceLines(
  { events }: ConformanceCase,
  expected: readonly JsonObject[],
  actual: readonly JsonObject[],
): readonly string[] {
  const places = new Set([...expected, ...actual].map(placeOf));
  const differing = [...places].flatMap((place) => {
    const wanted = expected.filter((entry) => placeOf(entry) === place);
    const got = actual.filter((entry) => placeOf(entry) === place);
    if (isDeepStrictEqual(wanted, got)) return [];
    return [`${describe(place, events)}: expected ${said(wanted)}, got ${said(got)}`];
  });
  const more = differing.length - LINES_SHOWN;
  return more > 0 ? [...differing.slice(0, LINES_SHOWN), `and ${more} more`] : differing;
}

/** An event's index, or the path of an issue. */
function placeOf({ event, path }: JsonObject): number | string {
  return typeof event === 'number' ? event : String(path);
}

function describe(place: number | string, events: ConformanceCase['events']): string {
  if (typeof place === 'string') return place;
  const event = events?.[place];
  if (event === undefined) return `event ${place}`;
  return `event ${place} (${printable([event.type, event.tool, event.runId].filter(Boolean).join(' '))})`;
}

function said(entries: readonly JsonObject[]): string {
  if (entries.length === 0) return 'nothing';
  return entries.map(({ event: _, path: __, ...fields }) => JSON.stringify(fields)).join(' and ');
}
