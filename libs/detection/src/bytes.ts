/** Bytes that grow at the end. */
export interface ByteWriter {
  bytes: Uint8Array<ArrayBuffer>;
  view: DataView<ArrayBuffer>;
  at: number;
}

export interface ByteReader {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  at: number;
}

const START_BYTES = 4096;

export function byteWriter(): ByteWriter {
  const bytes = new Uint8Array(START_BYTES);
  return { bytes, view: new DataView(bytes.buffer), at: 0 };
}

export function byteReader(bytes: Uint8Array): ByteReader {
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), at: 0 };
}

/** A whole number of at least 0: seven bits a byte, the lowest first, the highest bit says that more follow. */
export function writeCount(writer: ByteWriter, count: number): void {
  reserve(writer, 8);
  let rest = count;
  for (; rest > 127; rest = Math.floor(rest / 128)) writer.bytes[writer.at++] = (rest % 128) + 128;
  writer.bytes[writer.at++] = rest;
}

export function readCount(reader: ByteReader): number {
  let [count, unit] = [0, 1];
  for (;;) {
    const byte = reader.bytes[reader.at++] as number;
    if (byte < 128) return count + byte * unit;
    count += (byte - 128) * unit;
    unit *= 128;
  }
}

/** Any number. */
export function writeNumber(writer: ByteWriter, value: number): void {
  reserve(writer, 8);
  writer.view.setFloat64(writer.at, value);
  writer.at += 8;
}

export function readNumber(reader: ByteReader): number {
  reader.at += 8;
  return reader.view.getFloat64(reader.at - 8);
}

/** `count` words from `from` on. */
export function writeWords(
  writer: ByteWriter,
  words: Int32Array,
  [from, count]: readonly [number, number],
): void {
  reserve(writer, count * 4);
  for (let index = from; index < from + count; index += 1, writer.at += 4) {
    writer.view.setInt32(writer.at, words[index] as number);
  }
}

export function readWords(
  reader: ByteReader,
  words: Int32Array,
  [from, count]: readonly [number, number],
): void {
  for (let index = from; index < from + count; index += 1, reader.at += 4) {
    words[index] = reader.view.getInt32(reader.at);
  }
}

/** A text or null, exactly as it is: a byte a code unit where all fit, else two. */
export function writeText(writer: ByteWriter, text: string | null): void {
  if (text === null) {
    writeCount(writer, 0);
    return;
  }
  const wide = !isNarrow(text);
  writeCount(writer, 1 + text.length * 2 + Number(wide));
  reserve(writer, text.length * 2);
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (wide) writer.bytes[writer.at++] = unit >> 8;
    writer.bytes[writer.at++] = unit & 255;
  }
}

export function readText(reader: ByteReader): string | null {
  const head = readCount(reader);
  if (head === 0) return null;
  const wide = (head - 1) % 2 === 1;
  const length = Math.floor((head - 1) / 2);
  const units: number[] = [];
  const parts: string[] = [];
  for (let index = 0; index < length; index += 1) {
    const high = wide ? (reader.bytes[reader.at++] as number) << 8 : 0;
    units.push(high | (reader.bytes[reader.at++] as number));
    if (units.length === UNITS_AT_ONCE) parts.push(String.fromCharCode(...units.splice(0)));
  }
  return parts.join('') + String.fromCharCode(...units);
}

/** A call takes only so many arguments. */
const UNITS_AT_ONCE = 1024;

function isNarrow(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) > 255) return false;
  return true;
}

function reserve(writer: ByteWriter, more: number): void {
  if (writer.at + more <= writer.bytes.length) return;
  const bytes = new Uint8Array(Math.max(writer.bytes.length * 2, writer.at + more));
  bytes.set(writer.bytes);
  writer.bytes = bytes;
  writer.view = new DataView(bytes.buffer);
}
