import type { Digest } from '@loopwarden/detection';
import { type Names, nameAt } from './names.ts';

/**
 * A place in an Avro body. Reading never throws and never allocates more than the body is long: the first
 * fault moves the cursor behind the end, later reads return zeros, and `faultOf` tells at the end.
 */
export interface Cursor {
  bytes: Buffer;
  readonly names: Names;
  pos: number;
  fault: string | null;
  /** The field whose enum holds a symbol that this version does not know and cannot do without. */
  unknown: string | null;
}

export const DIGEST_BYTES = 16;
const TWO_POW_27 = 134_217_728;
const TWO_POW_62 = 2 ** 62;

export function cursorAt(bytes: Buffer, pos: number, names: Names): Cursor {
  return { bytes, names, pos, fault: null, unknown: null };
}

/** Moves a cursor to another body, so that a decoder needs but one. */
export function moveTo(cursor: Cursor, bytes: Buffer, pos: number): Cursor {
  cursor.bytes = bytes;
  cursor.pos = pos;
  cursor.fault = null;
  cursor.unknown = null;
  return cursor;
}

export function fail(cursor: Cursor, fault: string): void {
  cursor.fault ??= fault;
  cursor.pos = cursor.bytes.length + 1;
}

/** What is wrong with a body that was read to its end; null: nothing. */
export function faultOf(cursor: Cursor): string | null {
  if (cursor.fault !== null) return cursor.fault;
  const left = cursor.bytes.length - cursor.pos;
  if (left === 0) return null;
  return left < 0 ? 'the body ends too early' : `${left} bytes follow the record`;
}

/** A zigzag varint of up to 64 bits; outside of the integers that a number holds exactly it is a fault. */
export function readLong(cursor: Cursor): number {
  const { bytes } = cursor;
  let byte = bytes[cursor.pos++] ?? 0;
  let low = byte & 0x7f;
  for (let shift = 7; byte >= 0x80 && shift < 28; shift += 7) {
    byte = bytes[cursor.pos++] ?? 0;
    low |= (byte & 0x7f) << shift;
  }
  return byte < 0x80 ? (low >>> 1) ^ -(low & 1) : readHighBits(cursor, low);
}

/** The sign is kept apart from the magnitude: together they would need one bit more than a number has. */
function readHighBits(cursor: Cursor, low: number): number {
  let magnitude = low >>> 1;
  let byte = 0x80;
  for (let factor = TWO_POW_27; byte >= 0x80 && factor <= TWO_POW_62; factor *= 128) {
    byte = cursor.bytes[cursor.pos++] ?? 0;
    magnitude += (byte & 0x7f) * factor;
  }
  const value = low & 1 ? -magnitude - 1 : magnitude;
  if (byte < 0x80 && Number.isSafeInteger(value)) return value;
  fail(cursor, 'a long is beyond 53 bits');
  return 0;
}

export function readInt(cursor: Cursor): number {
  const value = readLong(cursor);
  if ((value | 0) !== value) fail(cursor, 'an int is beyond 32 bits');
  return value | 0;
}

export function readBoolean(cursor: Cursor): boolean {
  const byte = cursor.bytes[cursor.pos++] ?? 0;
  if (byte > 1) fail(cursor, `a boolean is ${byte}`);
  return byte === 1;
}

/** The length of a string or of bytes, checked against what is left. */
function readLength(cursor: Cursor): number {
  const length = readLong(cursor);
  if (length >= 0 && length <= cursor.bytes.length - cursor.pos) return length;
  fail(cursor, 'a length is beyond the end of the body');
  return 0;
}

export function readString(cursor: Cursor): string {
  const length = readLength(cursor);
  const start = cursor.pos;
  cursor.pos += length;
  return length === 0 ? '' : cursor.bytes.toString('utf8', start, start + length);
}

/** A string that is likely to come again. */
export function readName(cursor: Cursor): string {
  const length = readLength(cursor);
  const start = cursor.pos;
  cursor.pos += length;
  return length === 0 ? '' : nameAt(cursor, start, start + length);
}

/** A copy: the bytes that a driver hands over may belong to a larger buffer. */
export function readBytes(cursor: Cursor): Uint8Array {
  const length = readLength(cursor);
  const start = cursor.pos;
  cursor.pos += length;
  return new Uint8Array(cursor.bytes.subarray(start, start + length));
}

export function readDigest(cursor: Cursor): Digest {
  const start = cursor.pos;
  cursor.pos += DIGEST_BYTES;
  return cursor.bytes.toString('hex', start, start + DIGEST_BYTES);
}

/** The branch of a union of null and one other type: whether a value follows. */
export function readPresence(cursor: Cursor): boolean {
  const branch = cursor.bytes[cursor.pos++] ?? 0;
  if (branch !== 0 && branch !== 2) fail(cursor, 'a union has no such branch');
  return branch === 2;
}

export function readNameOrNull(cursor: Cursor): string | null {
  return readPresence(cursor) ? readName(cursor) : null;
}

/** Handed the reader rather than a value, so that nothing is read of a null. */
export function readNullable<T>(cursor: Cursor, read: (cursor: Cursor) => T): T | null {
  return readPresence(cursor) ? read(cursor) : null;
}

/** `names`: the symbols in the order of the schema, as the domain spells them. */
export function readEnum<T extends string>(cursor: Cursor, names: readonly T[]): T {
  const name = names[readLong(cursor)];
  if (name === undefined) fail(cursor, 'an enum has no such symbol');
  return name ?? (names[0] as T);
}

/** An enum that the record means nothing without: a symbol of a later version marks the whole record as unknown. */
export function readKnown<T extends string>(
  cursor: Cursor,
  names: readonly (T | 'unknown')[],
  field: string,
): T {
  const name = readEnum(cursor, names);
  if (name === 'unknown') cursor.unknown = field;
  return name as T;
}

const NO_ITEMS: readonly never[] = Object.freeze([]);

/** Items take a byte each at the least: a count beyond the bytes left is a fault, whatever it claims. */
export function readArray<T>(cursor: Cursor, readItem: (cursor: Cursor) => T): readonly T[] {
  let count = readLong(cursor);
  if (count === 0) return NO_ITEMS;
  const items: T[] = [];
  for (; count !== 0; count = readLong(cursor)) {
    if (count < 0) {
      count = -count;
      readLong(cursor);
    }
    if (count > cursor.bytes.length - cursor.pos) {
      fail(cursor, 'an array is longer than the body');
      return items;
    }
    for (let index = 0; index < count; index++) items.push(readItem(cursor));
  }
  return items;
}
