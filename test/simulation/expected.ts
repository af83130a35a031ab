import {
  DEFAULT_POLICY,
  judge,
  openPartition,
  type Partition,
  readAppliedPolicy,
  renewPartition,
  type Verdict,
  verdictId,
} from '@loopwarden/detection';
import type { InRecord } from '@loopwarden/stream';
import { codec } from '../station.ts';
import type { Ledger, Origin, Pages } from './ledger.ts';

/** A verdict that a lineage must publish. */
export interface Due {
  readonly id: string;
  readonly verdict: Verdict;
  /** As it stands in the control topic. */
  readonly body: Uint8Array;
  /** The event that led to it; for a renewed one the last event before the renewal. */
  readonly offset: number;
}

/** What an undisturbed run of one lineage publishes, in order. */
export type Expected = readonly Due[];

/**
 * The undisturbed run of a lineage: a plain fold over the partition's events, with no log, no batch, no state
 * and no process. Lineage 0 begins at offset 0; another one where its origin says, with the runs renewed.
 */
export function expect(ledger: Ledger, partition: number, lineage: number): Expected | null {
  const pages = ledger.pages[partition];
  const origin = pages?.origins.get(lineage);
  if (pages === undefined || origin === undefined) return null;
  const known = made.get(origin);
  if (known?.events === pages.events.length) return known.due;
  const due = judgeAll(ledger, pages, { lineage, origin });
  made.set(origin, { events: pages.events.length, due });
  return due;
}

/** What was expected when the log held so many events: checks ask again and again. */
const made = new WeakMap<Origin, { readonly events: number; readonly due: Expected }>();

function judgeAll(
  ledger: Ledger,
  pages: Pages,
  { lineage, origin }: { lineage: number; origin: Origin },
): Expected {
  const begun = begin(ledger, pages, origin);
  const renewed = lineage === 0 ? [] : renewPartition(begun, lineage);
  const due = renewed.map((verdict) => dueOf(verdict, origin.to - 1));
  for (const record of pages.events.slice(origin.to))
    for (const verdict of judgeRecord(begun, record)) due.push(dueOf(verdict, record.offset));
  return due;
}

/** The fold of a lineage up to where its own judging begins. */
function begin(ledger: Ledger, pages: Pages, { from, to, of }: Origin): Partition {
  if (of !== null) return foldUntil(ledger, pages, { lineage: of, until: to });
  const fold = openPartition({
    ...(from === 0 ? DEFAULTS : policyAt(ledger, pages, from)),
    maxRuns: ledger.maxRuns,
  });
  for (const record of pages.events.slice(from, to)) judgeRecord(fold, record);
  return fold;
}

function foldUntil(
  ledger: Ledger,
  pages: Pages,
  { lineage, until }: { lineage: number; until: number },
): Partition {
  const origin = pages.origins.get(lineage);
  if (origin === undefined) throw new Error(`Lineage ${lineage} has no origin.`);
  const fold = begin(ledger, pages, origin);
  if (lineage !== 0) renewPartition(fold, lineage);
  for (const record of pages.events.slice(origin.to, until)) judgeRecord(fold, record);
  return fold;
}

const DEFAULTS = { policy: DEFAULT_POLICY, policyText: '{}', revision: -1 };

/** The newest revision older than the first record that is read, or the defaults (wire contract, section 10). */
function policyAt({ policies }: Ledger, { events }: Pages, from: number) {
  const at = events[from]?.timestamp ?? Number.NEGATIVE_INFINITY;
  let found = DEFAULTS;
  for (const { value, offset: revision, timestamp } of policies) {
    const read = codec.decodePolicyRevision(value ?? new Uint8Array());
    const policy = read.ok && timestamp < at ? readAppliedPolicy(read.value.policy) : null;
    if (read.ok && policy !== null) found = { policy, policyText: read.value.policy, revision };
  }
  return found;
}

function judgeRecord(fold: Partition, { value, timestamp }: InRecord): readonly Verdict[] {
  const event = codec.decodeEvent(value ?? new Uint8Array());
  if (!event.ok) return [];
  if (event.value.type === 'policy' && readAppliedPolicy(event.value.policy) === null) return [];
  return judge(fold, event.value, timestamp).verdicts;
}

function dueOf(verdict: Verdict, offset: number): Due {
  return { id: verdictId(verdict), verdict, body: codec.encodeVerdict(verdict), offset };
}
