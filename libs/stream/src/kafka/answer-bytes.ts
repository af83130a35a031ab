const TWO_POW_32 = 0x1_0000_0000;

/** A place in the bytes of a broker's answer. What lies beyond their end is damage: a `RangeError`, as Buffer's own. */
export class AnswerBytes {
  readonly bytes: Buffer;
  pos: number;

  constructor(bytes: Buffer, pos = 0) {
    this.bytes = bytes;
    this.pos = pos;
  }

  get left(): number {
    return this.bytes.length - this.pos;
  }

  int8(): number {
    this.pos += 1;
    return this.bytes.readInt8(this.pos - 1);
  }

  int16(): number {
    this.pos += 2;
    return this.bytes.readInt16BE(this.pos - 2);
  }

  int32(): number {
    this.pos += 4;
    return this.bytes.readInt32BE(this.pos - 4);
  }

  /** Offsets and times stay far below 2^53. */
  int64(): number {
    this.pos += 8;
    return this.bytes.readInt32BE(this.pos - 8) * TWO_POW_32 + this.bytes.readUInt32BE(this.pos - 4);
  }

  /** A zigzag varint of any length. */
  varint(): number {
    const byte = this.#byte();
    return byte < 0x80 ? (byte >>> 1) ^ -(byte & 1) : this.#longVarint(byte & 0x7f);
  }

  /** A buffer of the same memory; null for a length below zero. */
  slice(length: number): Buffer | null {
    if (length < 0) return null;
    const start = this.skip(length);
    return this.bytes.subarray(start, start + length);
  }

  text(length: number): string {
    const start = this.skip(length);
    return this.bytes.toString('utf8', start, start + length);
  }

  /** Steps over bytes; returns where they begin. */
  skip(length: number): number {
    const start = this.pos;
    if (length < 0 || length > this.left) throw new RangeError('a length is beyond the end of the answer');
    this.pos += length;
    return start;
  }

  #byte(): number {
    const byte = this.bytes[this.pos++];
    if (byte === undefined) throw new RangeError('the answer ends too early');
    return byte;
  }

  #longVarint(low: number): number {
    let value = low;
    let byte = 0x80;
    for (let factor = 128; byte >= 0x80; factor *= 128) {
      byte = this.#byte();
      value += (byte & 0x7f) * factor;
    }
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
}
