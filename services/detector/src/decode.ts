import { type LoopEvent, parsePolicy, type ReadEvent } from '@loopwarden/detection';
import type { Batch, InRecord } from '@loopwarden/stream';
import { LW_SIGNATURE, verifyValue } from '@loopwarden/wire';
import type { Context } from './context.ts';

/** A record that is an event. */
export interface Arrived {
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
  keys: Context['operatorKeys'],
): Arrived | Rejected {
  const decoded = codec.decodeEvent(record.value);
  switch (decoded.kind) {
    case 'value': {
      const fault = operatorFault(decoded.value, record, keys);
      return fault === null ? { record, event: decoded.value } : { record, ...fault };
    }
    case 'skipped':
      return { record, event: { ...decoded.common, type: 'unknown' } };
    case 'unknown_schema':
      return { record, code: decoded.kind, detail: `The registry knows no schema with id ${decoded.id}.` };
    case 'refused':
      return { record, code: decoded.code, detail: decoded.detail };
  }
}

/** What keeps an operator's event from being heard: a missing or wrong signature, or a policy that is none. */
function operatorFault(
  event: LoopEvent,
  { value, headers, timestamp }: InRecord,
  keys: Context['operatorKeys'],
): { code: string; detail: string } | null {
  if (event.type !== 'policy' && event.type !== 'release') return null;
  if (keys !== null && value !== null) {
    const verified = verifyValue({ value, header: headers[LW_SIGNATURE], timestamp }, keys);
    if (!verified.ok) return verified;
  }
  if (event.type !== 'policy') return null;
  const parsed = parsePolicy(event.policy);
  if (parsed.ok) return null;
  return { code: 'bad_policy', detail: parsed.issues.map(({ message }) => message).join(' ') };
}
