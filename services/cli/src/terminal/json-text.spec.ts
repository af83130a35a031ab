import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jsonText } from './json-text.ts';

/** Texts with many characters that command a terminal. */
const texts = fc.string({
  unit: fc.oneof(
    fc.constantFrom('\u009b', '\u009d', '\u007f', '\u202e', '\u2066', '\u200d', '\u{e0041}', '\u2028', '\n'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
});

it.each([undefined, 2])(
  'nothing that drives a terminal is printed raw, and programs read the same: indent %s',
  (indent) => {
    fc.assert(
      fc.property(fc.dictionary(texts, texts), (value) => {
        const text = jsonText(value, indent === undefined ? {} : { indent });
        expect(text).not.toMatch(/[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}]/u);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  },
);

it('a line stays a line', () => {
  expect(jsonText({ tool: 'a\nb\u009b31m\u202e' })).toBe('{"tool":"a\\nb\\u009b31m\\u202e"}');
});
