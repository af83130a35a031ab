/** Pieces of bytes, written one after the other into slabs that many pieces share. */
export interface ByteWriter {
  bytes: Uint8Array<ArrayBuffer>;
  view: DataView<ArrayBuffer>;
  /** Where the piece that is being written begins, and where it goes on. */
  from: number;
  at: number;
}

export interface ByteReader {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  at: number;
}

const SLAB_BYTES = 65_536;

export function byteWriter(): ByteWriter {
  return { ...slabOf(SLAB_BYTES), from: 0, at: 0 };
}

function slabOf(bytes: number): Pick<ByteWriter, 'bytes' | 'view'> {
  const slab = new Uint8Array(bytes);
  return { bytes: slab, view: new DataView(slab.buffer) };
}

/** Ends the piece; its bytes are not written again. */
export function takePiece(writer: ByteWriter): Uint8Array {
  const piece = writer.bytes.subarray(writer.from, writer.at);
  writer.from = writer.at;
  return piece;
}

/** A reader at the beginning of a piece; the last one, moved there, where both pieces lie in one buffer. */
export function byteReader(piece: Uint8Array, last: ByteReader | null = null): ByteReader {
  const { buffer, byteOffset: at } = piece;
  if (last === null || last.bytes.buffer !== buffer)
    return { bytes: new Uint8Array(buffer), view: new DataView(buffer), at };
  last.at = at;
  return last;
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
    const byte = reader.bytes[reader.at++];
    if (byte === undefined) throw new RangeError('The bytes end within a count.');
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
  const length = Math.floor((head - 1) / 2);
  return (head - 1) % 2 === 0 ? readNarrow(reader, length) : readWide(reader, length);
}

/** A text that is likely to be the same as another: then it is the other, and no copy of it. */
export function readTextLike(reader: ByteReader, other: string | null): string | null {
  const { bytes, at } = reader;
  const head = readCount(reader);
  if (other !== null && head === 1 + other.length * 2) {
    let index = 0;
    while (index < other.length && bytes[reader.at + index] === other.charCodeAt(index)) index += 1;
    reader.at += index;
    if (index === other.length) return other;
  }
  reader.at = at;
  return readText(reader);
}

/** Eight units a call: one call a unit costs twice as much, and so does a list of units to spread. */
function readNarrow(reader: ByteReader, length: number): string {
  const { bytes } = reader;
  const at = (offset: number): number => bytes[reader.at + offset] as number;
  const end = reader.at + length;
  let text = '';
  for (; reader.at + 8 <= end; reader.at += 8)
    text += String.fromCharCode(at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7));
  for (; reader.at < end; reader.at += 1) text += String.fromCharCode(at(0));
  return text;
}

function readWide(reader: ByteReader, length: number): string {
  let text = '';
  for (let index = 0; index < length; index += 1, reader.at += 2)
    text += String.fromCharCode(reader.view.getUint16(reader.at));
  return text;
}

function isNarrow(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) > 255) return false;
  return true;
}

/** Room for more bytes: the piece moves to a new slab where this one ends. */
function reserve(writer: ByteWriter, more: number): void {
  if (writer.at + more <= writer.bytes.length) return;
  const written = writer.bytes.subarray(writer.from, writer.at);
  Object.assign(writer, slabOf(Math.max(SLAB_BYTES, (written.length + more) * 2)));
  writer.bytes.set(written);
  writer.from = 0;
  writer.at = written.length;
}
