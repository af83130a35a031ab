import { type ReadEvent, readAppliedPolicy } from '@loopwarden/detection';
import type { Batch, InRecord } from '@loopwarden/stream';
import { HEADERS, type OperatorKeys, verifyValue } from '@loopwarden/wire';
import type { Context } from './context.ts';

/** A record that is an event. */
interface Arrived {
  readonly record: InRecord;
  readonly event: ReadEvent;
}

/** A record that is none, and why. */
export interface Rejected {
  readonly record: InRecord;
  readonly code: string;
  readonly detail: string;
}

export interface DecodedBatch {
  readonly batch: Batch;
  readonly arrived: readonly Arrived[];
  readonly rejected: readonly Rejected[];
}

/** Bytes to events, record by record: what cannot be read stands beside the others and stops nothing. */
export function decodeBatch({ codec, operatorKeys }: Context): (batch: Batch) => DecodedBatch {
  return (batch) => {
    const arrived: Arrived[] = [];
    const rejected: Rejected[] = [];
    for (const record of batch.records) {
      const entry = decodeRecord(record, codec, operatorKeys);
      if ('event' in entry) arrived.push(entry);
      else rejected.push(entry);
    }
    return { batch, arrived, rejected };
  };
}

function decodeRecord(
  record: InRecord,
  codec: Context['codec'],
  keys: OperatorKeys | null,
): Arrived | Rejected {
  if (record.value === null) {
    return { record, code: 'no_value', detail: 'the record has no value; events are never tombstones' };
  }
  const decoded = codec.decodeEvent(record.value);
  if (!decoded.ok) return { record, code: decoded.code, detail: decoded.detail };
  const fault = operatorFault(decoded.value, { record, value: record.value }, keys);
  return fault === null ? { record, event: decoded.value } : { record, ...fault };
}

/** What keeps an operator's event from being heard: a missing or wrong signature, or a policy that is none. */
function operatorFault(
  event: ReadEvent,
  { record, value }: { record: InRecord; value: Uint8Array },
  keys: OperatorKeys | null,
): { code: string; detail: string } | null {
  if (event.type !== 'policy' && event.type !== 'release') return null;
  if (keys !== null) {
    const claim = { header: record.headers[HEADERS.signature] ?? null, keys, at: record.timestamp };
    const verified = verifyValue(value, claim);
    if (!verified.ok) return verified;
  }
  if (event.type !== 'policy' || readAppliedPolicy(event.policy) !== null) return null;
  return { code: 'bad_policy', detail: `policy revision ${event.revision} is no JSON object` };
}
