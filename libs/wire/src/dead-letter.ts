import { type Cursor, readBytes, readInt, readLong, readNullable, readString } from './cursor.ts';
import { type Sink, writeBytes, writeInt, writeLong, writeNullable, writeString } from './sink.ts';

/** A record that could not be read, with its origin and the reason. */
export interface DeadLetter {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  /** Record timestamp, epoch milliseconds. */
  readonly timestamp: number;
  /** Stable name of the reason: a `RefusalCode` or a code of the reader's own. */
  readonly code: string;
  /** A sentence for people. */
  readonly detail: string;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
}

/** What is kept of a key and a value, so that a letter always fits where the record did not; the rest stands at its origin. */
const DEAD_KEY_BYTES = 1024;
const DEAD_VALUE_BYTES = 512 * 1024;

export function readDeadLetter(c: Cursor): DeadLetter {
  return {
    topic: readString(c),
    partition: readInt(c),
    offset: readLong(c),
    timestamp: readLong(c),
    code: readString(c),
    detail: readString(c),
    key: readNullable(c, readBytes),
    value: readNullable(c, readBytes),
  };
}

export function writeDeadLetter(s: Sink, letter: DeadLetter): void {
  writeString(s, letter.topic);
  writeInt(s, letter.partition);
  writeLong(s, letter.offset);
  writeLong(s, letter.timestamp);
  writeString(s, letter.code);
  writeString(s, letter.detail);
  writeNullable(s, letter.key?.subarray(0, DEAD_KEY_BYTES) ?? null, writeBytes);
  writeNullable(s, letter.value?.subarray(0, DEAD_VALUE_BYTES) ?? null, writeBytes);
}
