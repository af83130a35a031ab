/**
 * Strings that come again with every event of a run or gateway. Found by their bytes, so that a known one
 * costs no call into native code, and all windows share one copy of it.
 */
export type Names = (string | undefined)[];

interface Named {
  readonly names: Names;
  readonly bytes: Buffer;
}

/** A power of two. Two names that meet in a place only push each other out. */
const PLACES = 4096;
/** Names differ in their last characters; more would only cost time. */
const HASHED = 12;
/** Longer ones are rare and not kept. */
const LONGEST = 64;

export function createNames(): Names {
  return new Array<string | undefined>(PLACES).fill(undefined);
}

/** The UTF-8 text of the bytes from `start` to `end`, which must lie within. */
export function nameAt({ names, bytes }: Named, start: number, end: number): string {
  if (end - start > LONGEST) return bytes.toString('utf8', start, end);
  const place = placeOf(bytes, start, end);
  const known = names[place];
  if (known !== undefined && known.length === end - start && isAt(known, bytes, start)) return known;
  const name = bytes.toString('utf8', start, end);
  names[place] = name;
  return name;
}

function placeOf(bytes: Buffer, start: number, end: number): number {
  let hash = end - start;
  for (let index = Math.max(start, end - HASHED); index < end; index++) {
    hash = Math.imul(hash ^ (bytes[index] ?? 0), 0x01000193);
  }
  return (hash ^ (hash >>> 15)) & (PLACES - 1);
}

/** Never true of a name beyond ASCII: it has fewer characters than bytes, or characters that are no byte. */
function isAt(name: string, bytes: Buffer, start: number): boolean {
  for (let index = 0; index < name.length; index++) {
    if (name.charCodeAt(index) !== bytes[start + index]) return false;
  }
  return true;
}
