import { UNPRINTABLE } from './printable.ts';

/**
 * JSON as the command prints it: control and direction characters are written as `\u…`, so that no name in a
 * log commands a terminal. Programs read the same values.
 */
export function jsonText(
  value: object,
  {
    replacer,
    indent,
  }: { replacer?: (this: unknown, key: string, value: unknown) => unknown; indent?: number } = {},
): string {
  return JSON.stringify(value, replacer, indent).replace(UNPRINTABLE, escaped);
}

/** A character beyond 16 bits is two escapes. */
function escaped(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
