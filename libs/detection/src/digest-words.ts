import type { Digest } from './event.ts';

/** Writes a digest as four words. No digest counts as zeros. */
export function readDigest(digest: Digest | null, words: Int32Array, at: number): void {
  const text = digest ?? '';
  words[at] = wordOf(text, 0);
  words[at + 1] = wordOf(text, 8);
  words[at + 2] = wordOf(text, 16);
  words[at + 3] = wordOf(text, 24);
}

/** The digest that stands in four words. */
export function digestText(words: Int32Array, at: number): Digest {
  return `${wordText(words, at)}${wordText(words, at + 1)}${wordText(words, at + 2)}${wordText(words, at + 3)}`;
}

export function sameDigest(words: Int32Array, at: number, other: number): boolean {
  return (
    words[at] === words[other] &&
    words[at + 1] === words[other + 1] &&
    words[at + 2] === words[other + 2] &&
    words[at + 3] === words[other + 3]
  );
}

function wordOf(text: string, from: number): number {
  return (
    (nibble(text, from) << 28) |
    (nibble(text, from + 1) << 24) |
    (nibble(text, from + 2) << 20) |
    (nibble(text, from + 3) << 16) |
    (nibble(text, from + 4) << 12) |
    (nibble(text, from + 5) << 8) |
    (nibble(text, from + 6) << 4) |
    nibble(text, from + 7)
  );
}

/** The value of a hex digit: in ASCII, letters have bit 6 and begin at 1. */
function nibble(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return (code & 15) + 9 * (code >> 6);
}

function wordText(words: Int32Array, at: number): string {
  const word = words[at] as number;
  return String.fromCharCode(
    digit(word >>> 28),
    digit(word >>> 24),
    digit(word >>> 20),
    digit(word >>> 16),
    digit(word >>> 12),
    digit(word >>> 8),
    digit(word >>> 4),
    digit(word),
  );
}

/** The character code of the lowest four bits: `0` to `9`, then `a` to `f`. */
function digit(value: number): number {
  const nibble = value & 15;
  return nibble < 10 ? nibble + 48 : nibble + 87;
}
