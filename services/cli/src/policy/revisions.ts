import { readAppliedPolicy } from '@loopwarden/detection';
import type { InRecord } from '@loopwarden/stream';
import { HEADERS, type OperatorKeys, verifyValue } from '@loopwarden/wire';
import { isObject, type JsonObject, parseJson } from '../json-value.ts';
import type { OpenedLog } from '../open-log.ts';
import { readRecords } from '../records/read-records.ts';

/** One policy as it was applied. */
export interface Revision {
  readonly revision: number;
  /** Record timestamp, epoch milliseconds. */
  readonly at: number;
  readonly actor: string;
  readonly reason: string;
  /** JSON text, as in the log. */
  readonly policy: string;
  readonly document: JsonObject;
  /** Id of the key that it was signed with; null: unsigned. */
  readonly signedBy: string | null;
  /** Why detectors and gateways ignore it; null: they do not. */
  readonly ignored: string | null;
}

/** All policies that were ever applied, oldest first. `keys` null: signatures are not looked at. */
export async function readRevisions(
  opened: OpenedLog,
  keys: OperatorKeys | null,
): Promise<readonly Revision[]> {
  const revisions: Revision[] = [];
  const whole = { topic: opened.topics.policies, partition: 0, from: 'start', until: 'end' } as const;
  for await (const record of readRecords(opened, whole)) revisions.push(revisionOf(opened, record, keys));
  return revisions;
}

/** The newest revision that is not ignored; null: the defaults hold. */
export function inForce(revisions: readonly Revision[]): Revision | null {
  return revisions.findLast(({ ignored }) => ignored === null) ?? null;
}

function revisionOf({ codec }: OpenedLog, record: InRecord, keys: OperatorKeys | null): Revision {
  const { offset: revision, timestamp: at, value, headers } = record;
  const header = headers[HEADERS.signature] ?? null;
  const signedBy = header?.split(':', 1)[0] ?? null;
  const blank = { revision, at, actor: '', reason: '', policy: '', document: {}, signedBy };
  if (value === null) return { ...blank, ignored: 'the record has no value' };
  const decoded = codec.decodePolicyRevision(value);
  if (!decoded.ok) return { ...blank, ignored: decoded.detail };
  const document = parseJson(decoded.value.policy);
  const read = { ...blank, ...decoded.value, document: isObject(document) ? document : {} };
  if (readAppliedPolicy(read.policy) === null) return { ...read, ignored: 'the policy is no JSON object' };
  const verified = keys === null ? null : verifyValue(value, { header, keys, at });
  return { ...read, ignored: verified?.ok === false ? verified.detail : null };
}
