import { verdictId } from '@loopwarden/detection';
import type { InRecord } from '@loopwarden/stream';
import { readLineage } from '@loopwarden/wire';
import { TOPICS } from '../station.ts';
import { controlOf } from './ear.ts';
import { type Due, type Expected, expect } from './expected.ts';
import type { Claim } from './ledger.ts';
import type { Seen } from './world.ts';

/** How far a lineage has come, as one reads the control partition from its beginning. */
interface Progress {
  readonly due: Expected;
  readonly places: ReadonlyMap<string, number>;
  readonly seen: Set<string>;
  /** Place of the first verdict not seen yet. */
  next: number;
}

/**
 * Reads a control partition against the undisturbed run: every verdict is one that it would publish, byte for
 * byte, none is missing in the last lineage, first occurrences are in order, and nothing was marked, committed
 * or saved before its verdicts stood there. Returns what is wrong.
 */
export function checkControl(world: Seen, partition: number): readonly string[] {
  const wrongs: string[] = [];
  const lineages = new Map<number, Progress>();
  const pages = world.ledger.pages[partition];
  const records = world.broker.records(TOPICS.control, partition);
  const claims = [...(pages?.claims ?? [])].sort((a, b) => a.control - b.control);
  const progressOf = (lineage: number): Progress | null => {
    const known = lineages.get(lineage);
    const due = known === undefined ? expect(world.ledger, partition, lineage) : null;
    if (due !== null) lineages.set(lineage, open(due));
    return lineages.get(lineage) ?? null;
  };
  const settleClaims = (until: number): void => {
    for (let claim = claims[0]; claim !== undefined && claim.control <= until; claim = claims[0]) {
      claims.shift();
      const missing = missingOf(progressOf(claim.lineage), claim.offset - 1);
      // A lineage is committed before any of it is published.
      if (claim.what === 'commit' && claim.offset === pages?.origins.get(claim.lineage)?.to) continue;
      if (missing !== null) wrongs.push(`${told(partition, claim)} before ${missing.id}`);
    }
  };
  records.forEach((record, place) => {
    settleClaims(place);
    const lineage = readLineage(record.headers) ?? -1;
    const progress = progressOf(lineage);
    const wrong = progress === null ? `is of lineage ${lineage}, which never began` : take(progress, record);
    if (wrong !== null) wrongs.push(`control ${partition}:${record.offset} ${wrong}`);
  });
  settleClaims(records.length);
  const last = Math.max(...(pages?.claims ?? []).map(({ lineage }) => lineage), 0);
  const missing = missingOf(progressOf(last), Number.POSITIVE_INFINITY);
  if (missing !== null) wrongs.push(`${missing.id}, led to by ${partition}:${missing.offset}, is missing`);
  return wrongs;
}

function open(due: Expected): Progress {
  return { due, places: new Map(due.map(({ id }, place) => [id, place])), seen: new Set(), next: 0 };
}

function told(partition: number, { what, offset, lineage }: Claim): string {
  return `${what} ${partition}:${offset} of lineage ${lineage} stands`;
}

/** The first verdict of events up to the offset that was not seen; null: none. */
function missingOf(progress: Progress | null, offset: number): Due | null {
  const next = progress?.due[progress.next];
  return next === undefined || next.offset > offset ? null : next;
}

/** All that must stand before it does. One event (a policy) or a renewal leads to verdicts of many runs in any order. */
function isNext(progress: Progress, { offset, verdict }: Due, place: number): boolean {
  return progress.due
    .slice(progress.next, place)
    .every(
      (other) =>
        progress.seen.has(other.id) || (other.offset === offset && other.verdict.runId !== verdict.runId),
    );
}

/** What is wrong with a record; null: nothing. */
function take(progress: Progress, record: InRecord): string | null {
  const control = controlOf(record);
  if (control.type === 'unknown') return 'is of an unknown type';
  if (control.type === 'mark') {
    const missing = missingOf(progress, control.mark.offset);
    if (missing === null || control.mark.offset < 0) return null;
    return `marks ${control.mark.offset} before ${missing.id}`;
  }
  const id = verdictId(control.verdict);
  const place = progress.places.get(id);
  const due = place === undefined ? undefined : progress.due[place];
  if (due === undefined) return `says ${id}, which the undisturbed run never does`;
  if (Buffer.compare(due.body, record.value ?? Buffer.of()) !== 0) return `says ${id} in other words`;
  if (progress.seen.has(id)) return null;
  progress.seen.add(id);
  const inOrder = isNext(progress, due, place ?? 0);
  while (progress.seen.has(progress.due[progress.next]?.id ?? '')) progress.next += 1;
  return inOrder ? null : `says ${id} out of order`;
}
