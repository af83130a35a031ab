import type { Digest } from '@loopwarden/detection';
import { DIGEST_BYTES } from './cursor.ts';

/** A reusable buffer that an Avro body is written to. It grows on demand and is never handed out. */
export interface Sink {
  bytes: Buffer;
  pos: number;
}

/** Room for all of a record that is no string, bytes or array: digests, numbers, branches. */
const FIXED_ROOM = 512;
/** Up to here a string's length takes one byte and a loop beats a call into native code. */
const SHORT = 63;
/** Value of a lower-case hex character by its code. */
const NIBBLES = new Uint8Array(128).fill(255);
for (let value = 0; value < 16; value++) NIBBLES[value.toString(16).charCodeAt(0)] = value;
const NO_NIBBLE = 16;
const TWO_POW_30 = 1_073_741_824;

export function createSink(): Sink {
  return { bytes: Buffer.allocUnsafeSlow(4096), pos: 0 };
}

/** Makes sure that `size` more bytes and a record's fixed part fit. */
function makeRoom(sink: Sink, size: number): void {
  const needed = sink.pos + size + FIXED_ROOM;
  if (needed <= sink.bytes.length) return;
  const grown = Buffer.allocUnsafeSlow(2 * needed);
  sink.bytes.copy(grown, 0, 0, sink.pos);
  sink.bytes = grown;
}

/** A copy of what was written. */
export function takeBytes(sink: Sink): Uint8Array {
  const copy = Buffer.allocUnsafe(sink.pos);
  sink.bytes.copy(copy, 0, 0, sink.pos);
  return copy;
}

export function writeLong(sink: Sink, value: number): void {
  if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is no integer that Avro could hold`);
  const { bytes } = sink;
  if (value >= -TWO_POW_30 && value < TWO_POW_30) {
    let rest = ((value << 1) ^ (value >> 31)) >>> 0;
    for (; rest >= 0x80; rest >>>= 7) bytes[sink.pos++] = (rest & 0x7f) | 0x80;
    bytes[sink.pos++] = rest;
    return;
  }
  const magnitude = value < 0 ? -value - 1 : value;
  bytes[sink.pos++] = ((magnitude % 64) << 1) | (value < 0 ? 1 : 0) | 0x80;
  let rest = Math.floor(magnitude / 64);
  for (; rest >= 0x80; rest = Math.floor(rest / 128)) bytes[sink.pos++] = (rest % 128) | 0x80;
  bytes[sink.pos++] = rest;
}

export function writeInt(sink: Sink, value: number): void {
  if ((value | 0) !== value) throw new RangeError(`${value} is no 32-bit integer`);
  writeLong(sink, value);
}

export function writeBoolean(sink: Sink, value: boolean): void {
  sink.bytes[sink.pos++] = value ? 1 : 0;
}

export function writeString(sink: Sink, text: string): void {
  if (text.length <= SHORT && writeShortAscii(sink, text)) return;
  const size = Buffer.byteLength(text);
  makeRoom(sink, size);
  writeLong(sink, size);
  sink.pos += sink.bytes.write(text, sink.pos, size, 'utf8');
}

/** False, and nothing is written, if a character is not ASCII. */
function writeShortAscii(sink: Sink, text: string): boolean {
  makeRoom(sink, SHORT);
  const { bytes, pos } = sink;
  const { length } = text;
  for (let index = 0; index < length; index++) {
    const code = text.charCodeAt(index);
    if (code >= 0x80) return false;
    bytes[pos + 1 + index] = code;
  }
  bytes[pos] = length << 1;
  sink.pos = pos + 1 + length;
  return true;
}

export function writeBytes(sink: Sink, value: Uint8Array): void {
  makeRoom(sink, value.length);
  writeLong(sink, value.length);
  sink.bytes.set(value, sink.pos);
  sink.pos += value.length;
}

export function writeDigest(sink: Sink, digest: Digest): void {
  const { bytes, pos } = sink;
  let sound = digest.length === 2 * DIGEST_BYTES ? 0 : NO_NIBBLE;
  for (let index = 0; index < DIGEST_BYTES; index++) {
    const high = nibbleAt(digest, 2 * index);
    const low = nibbleAt(digest, 2 * index + 1);
    sound |= high | low;
    bytes[pos + index] = (high << 4) | low;
  }
  if (sound >= NO_NIBBLE) throw new RangeError(`${JSON.stringify(digest)} is no digest of 32 hex characters`);
  sink.pos = pos + DIGEST_BYTES;
}

function nibbleAt(digest: Digest, index: number): number {
  return NIBBLES[digest.charCodeAt(index)] ?? NO_NIBBLE;
}

export function writeNullable<T>(sink: Sink, value: T | null, write: (sink: Sink, value: T) => void): void {
  sink.bytes[sink.pos++] = value === null ? 0 : 2;
  if (value !== null) write(sink, value);
}

/** `names`: the symbols in the order of the schema, as the domain spells them. */
export function writeEnum<T extends string>(sink: Sink, value: T, names: readonly T[]): void {
  const index = names.indexOf(value);
  if (index < 0) throw new RangeError(`${JSON.stringify(value)} is none of ${names.join(', ')}`);
  writeLong(sink, index);
}

export function writeArray<T>(sink: Sink, items: readonly T[], write: (sink: Sink, item: T) => void): void {
  if (items.length > 0) {
    writeLong(sink, items.length);
    for (const item of items) {
      makeRoom(sink, 0);
      write(sink, item);
    }
  }
  writeLong(sink, 0);
}
