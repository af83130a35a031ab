import { type ReadEvent, readAppliedPolicy } from '@loopwarden/detection';
import type { Codec } from './codec.ts';
import { HEADERS, type HeaderMap } from './headers.ts';
import { type OperatorKeys, verifyValue } from './signature.ts';

/** What of a record of the events topic decides whether it is an event. */
export interface EventRecord {
  readonly value: Uint8Array | null;
  readonly headers: HeaderMap;
  /** Record timestamp, epoch milliseconds. */
  readonly timestamp: number;
}

/** An event, or the stable code and the sentence that its dead letter carries. */
export type EventRead =
  | { readonly ok: true; readonly value: ReadEvent }
  | { readonly ok: false; readonly code: string; readonly detail: string };

/**
 * The event that a record is. With keys (null: none configured) operators' events must be signed with one of
 * them; a policy must be a JSON object. Code `unknown_schema`: look the schema up and read again.
 */
export function readEventRecord(codec: Codec, record: EventRecord, keys: OperatorKeys | null): EventRead {
  const { value } = record;
  if (value === null) {
    return { ok: false, code: 'no_value', detail: 'the record has no value; events are never tombstones' };
  }
  const decoded = codec.decodeEvent(value);
  if (!decoded.ok) return decoded;
  const event = decoded.value;
  if (event.type !== 'policy' && event.type !== 'release') return decoded;
  return operatorFault(event, { ...record, value }, keys) ?? decoded;
}

/** What keeps an operator's event from being heard: a missing or wrong signature, or a policy that is none. */
function operatorFault(
  event: Extract<ReadEvent, { type: 'policy' | 'release' }>,
  { value, headers, timestamp }: EventRecord & { readonly value: Uint8Array },
  keys: OperatorKeys | null,
): Extract<EventRead, { ok: false }> | null {
  if (keys !== null) {
    const verified = verifyValue(value, { header: headers[HEADERS.signature] ?? null, keys, at: timestamp });
    if (!verified.ok) return verified;
  }
  if (event.type === 'release' || readAppliedPolicy(event.policy) !== null) return null;
  return { ok: false, code: 'bad_policy', detail: `policy revision ${event.revision} is no JSON object` };
}
