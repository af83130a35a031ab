/** One line of a text, without its line break. */
export interface Line {
  /** Null: longer than the bound, dropped. */
  readonly text: string | null;
  /** From 1. */
  readonly number: number;
  /** False for a last line that no line break ends. */
  readonly complete: boolean;
}

/** Longest line that is read: a transcript line can hold a whole file or image. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
const LINE_FEED = 0x0a;

/** Splits bytes into lines while they arrive; holds one line, never the file. */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number = MAX_LINE_BYTES,
): AsyncGenerator<Line> {
  const pending = new PendingLine(maxBytes);
  let number = 0;
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
      pending.add(chunk.subarray(from, end));
      yield { text: pending.take(), number: ++number, complete: true };
      from = end + 1;
    }
    pending.add(chunk.subarray(from));
  }
  if (!pending.empty) yield { text: pending.take(), number: ++number, complete: false };
}

/** The bytes of a line that has not ended yet; beyond the bound only the fact is kept. */
class PendingLine {
  #parts: Uint8Array[] = [];
  #bytes = 0;
  readonly #maxBytes: number;
  readonly #decoder = new TextDecoder();

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get empty(): boolean {
    return this.#bytes === 0;
  }

  add(part: Uint8Array): void {
    this.#bytes += part.length;
    if (this.#bytes > this.#maxBytes) this.#parts = [];
    else if (part.length > 0) this.#parts.push(part);
  }

  take(): string | null {
    const text = this.#bytes > this.#maxBytes ? null : this.#decoder.decode(this.#whole());
    this.#parts = [];
    this.#bytes = 0;
    return text?.endsWith('\r') ? text.slice(0, -1) : text;
  }

  /** Most lines come in one piece. */
  #whole(): Uint8Array {
    const [first] = this.#parts;
    return first !== undefined && this.#parts.length === 1 ? first : Buffer.concat(this.#parts);
  }
}
