/**
 * Strings that come again with every event of a run or gateway. Found by their bytes, so that a known one
 * costs no call into native code, and all windows share one copy of it.
 */
export interface Names {
  readonly texts: (string | undefined)[];
  /** The bytes of the text in each place, `LONGEST` a place. */
  readonly bytes: Uint8Array;
  /** How many they are. */
  readonly lengths: Uint8Array;
}

interface Named {
  readonly names: Names;
  readonly bytes: Buffer;
}

/** A power of two. Two names that meet in a place only push each other out. */
const PLACES = 4096;
/** Longer ones are rare and not kept. */
const LONGEST = 64;

export function createNames(): Names {
  return {
    texts: new Array<string | undefined>(PLACES).fill(undefined),
    bytes: new Uint8Array(PLACES * LONGEST),
    lengths: new Uint8Array(PLACES),
  };
}

/** The UTF-8 text of the bytes from `start` to `end`, which must lie within. */
export function nameAt({ names, bytes }: Named, start: number, end: number): string {
  const length = end - start;
  if (length > LONGEST) return bytes.toString('utf8', start, end);
  const place = placeOf(bytes, start, end);
  const first = place * LONGEST;
  const known = names.texts[place];
  if (known !== undefined && names.lengths[place] === length) {
    const kept = names.bytes;
    let index = 0;
    while (index < length && kept[first + index] === bytes[start + index]) index++;
    if (index === length) return known;
  }
  const name = bytes.toString('utf8', start, end);
  names.texts[place] = name;
  names.lengths[place] = length;
  for (let index = 0; index < length; index++) names.bytes[first + index] = bytes[start + index] ?? 0;
  return name;
}

/** Names differ in their last characters: eight of them are looked at, and the length. */
function placeOf(bytes: Buffer, start: number, end: number): number {
  const last = fourBefore(bytes, start, end);
  const before = fourBefore(bytes, start, end - 4);
  const hash = Math.imul(Math.imul(last, 0x9e3779b1) ^ before ^ (end - start), 0x85ebca6b);
  return (hash ^ (hash >>> 15)) & (PLACES - 1);
}

function fourBefore(bytes: Buffer, start: number, end: number): number {
  if (end - 4 >= start) {
    return (
      ((bytes[end - 1] as number) << 24) |
      ((bytes[end - 2] as number) << 16) |
      ((bytes[end - 3] as number) << 8) |
      (bytes[end - 4] as number)
    );
  }
  let word = 0;
  for (let index = start; index < end; index++) word = (word << 8) | (bytes[index] as number);
  return word;
}
