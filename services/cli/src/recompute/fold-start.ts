import { DEFAULT_POLICY, type Policy, readAppliedPolicy } from '@loopwarden/detection';
import type { InRecord, ReadFrom } from '@loopwarden/stream';
import type { OpenedLog } from '../open-log.ts';
import type { Revision } from '../policy/revisions.ts';
import { readRecords } from '../records/read-records.ts';
import type { Span } from './survey.ts';

/** Where a second judgement begins, and with what. */
export interface FoldStart {
  /** First offset that is folded. */
  readonly from: number;
  readonly policy: Policy;
  /** Null: the defaults. */
  readonly revision: Revision | null;
  /** Nothing is known of what was before this time; minus infinity: the log is whole. */
  readonly knownFrom: number;
}

/**
 * A fold from offset 0 begins with the defaults, any other with the newest revision older than its first record
 * (wire contract, section 10).
 * @param since the time to begin at; what the log has lost by then is not known
 */
export async function foldStart(
  opened: OpenedLog,
  { partition, first, start }: Span & { readonly start: number },
  { since, revisions }: { readonly since: number; readonly revisions: readonly Revision[] },
): Promise<FoldStart> {
  const topic = opened.topics.events;
  const record = await firstRecord(opened, { topic, partition, from: { timestamp: since } });
  const from = Math.min(record?.offset ?? first, first);
  const whole = { from, policy: DEFAULT_POLICY, revision: null, knownFrom: Number.NEGATIVE_INFINITY };
  if (from === 0 || record === null) return whole;
  const revision = revisionBefore(revisions, record.timestamp);
  const knownFrom = from === start ? record.timestamp : since;
  return { from, policy: policyOf(revision), revision, knownFrom };
}

/** The newest revision that was in the log before a time and is heard; null: the defaults. */
export function revisionBefore(revisions: readonly Revision[], time: number): Revision | null {
  return revisions.findLast(({ ignored, at }) => ignored === null && at < time) ?? null;
}

export function policyOf(revision: Revision | null): Policy {
  return (revision === null ? null : readAppliedPolicy(revision.policy)) ?? DEFAULT_POLICY;
}

/** The first record from there on; null: there is none. */
async function firstRecord(
  opened: OpenedLog,
  place: { readonly topic: string; readonly partition: number; readonly from: ReadFrom },
): Promise<InRecord | null> {
  for await (const record of readRecords(opened, { ...place, until: 'end', batchSize: 1 })) return record;
  return null;
}
