import { LogError } from './log.ts';
import type { OutRecord } from './record.ts';

/** The largest record that drivers take unless told otherwise: key, value and headers, in bytes (Kafka's default). */
export const maxRecordBytes = 1_048_576;

const utf8 = new TextEncoder();

/** A key as bytes: text is UTF-8. */
export function keyBytes(key: Uint8Array | string | null): Uint8Array | null {
  return typeof key === 'string' ? utf8.encode(key) : key;
}

/** Key, value and headers in bytes; what a limit on records is measured by. */
export function recordBytes(record: OutRecord): number {
  const key = typeof record.key === 'string' ? Buffer.byteLength(record.key) : (record.key?.length ?? 0);
  let headers = 0;
  for (const [name, text] of Object.entries(record.headers ?? {})) {
    headers += Buffer.byteLength(name) + Buffer.byteLength(text);
  }
  return key + (record.value?.length ?? 0) + headers;
}

/** Throws a `refused` unless the record is small enough and its partition exists. `partitions`: how many its topic has. */
export function refuseUnfit(record: OutRecord, partitions: number | undefined): void {
  refuseUnknown(record.topic, record.partition, partitions);
  const bytes = recordBytes(record);
  if (bytes > maxRecordBytes) {
    throw new LogError(
      'refused',
      `A record of ${bytes} bytes is above the limit of ${maxRecordBytes}. Write smaller records.`,
    );
  }
}

/** Throws a `refused` unless the partition exists. `partitions`: how many its topic has. */
export function refuseUnknown(topic: string, partition: number, partitions: number | undefined): void {
  if (partitions === undefined) {
    throw new LogError(
      'refused',
      `The topic ${topic} does not exist. Create it with "loopwarden topics apply".`,
    );
  }
  if (!Number.isInteger(partition) || partition < 0 || partition >= partitions) {
    throw new LogError(
      'refused',
      `The topic ${topic} has ${partitions} partitions, numbered from 0; ${partition} is none of them.`,
    );
  }
}
