import type { ReadEvent } from '@loopwarden/detection';
import type { Batch, InRecord } from '@loopwarden/stream';
import { type OperatorKeys, readEventRecord } from '@loopwarden/wire';
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
  const read = readEventRecord(codec, record, keys);
  return read.ok ? { record, event: read.value } : { record, code: read.code, detail: read.detail };
}
