/** Bytes that grow, and copy from their own past. */
export class ByteSink {
  #buffer: Buffer;
  #length = 0;

  constructor(expected: number) {
    this.#buffer = Buffer.allocUnsafe(Math.max(expected, 64));
  }

  append(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Repeats `length` bytes from `distance` back; they may overlap with what is being written. */
  copyBack(distance: number, length: number): void {
    if (distance === 0 || distance > this.#length) throw new Error('a copy from before the beginning');
    this.#reserve(length);
    const from = this.#length - distance;
    if (distance >= length) this.#buffer.copyWithin(this.#length, from, from + length);
    else for (let i = 0; i < length; i++) this.#buffer[this.#length + i] = this.#buffer[from + i] ?? 0;
    this.#length += length;
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#length + more));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}
