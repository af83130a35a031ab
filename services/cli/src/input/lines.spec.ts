import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Line, readLines } from './lines.ts';

async function linesOf(chunks: readonly Uint8Array[], maxBytes?: number): Promise<Line[]> {
  const source = async function* () {
    yield* chunks;
  };
  const lines: Line[] = [];
  for await (const line of readLines(source(), maxBytes)) lines.push(line);
  return lines;
}

test('lines are the same however the bytes are cut, within characters too', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: 'grapheme' })),
      fc.integer({ min: 1, max: 7 }),
      async (texts, size) => {
        const wanted = texts.map((text) => text.replace(/[\r\n]/g, ''));
        const bytes = Buffer.from(wanted.map((text) => `${text}\n`).join(''));
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
          bytes.subarray(i * size, (i + 1) * size),
        );
        expect((await linesOf(chunks)).map(({ text }) => text)).toEqual(wanted);
      },
    ),
  );
});

test('a last line without a line break is told as such', async () => {
  expect(await linesOf([Buffer.from('a\r\n{"b":')])).toEqual([
    { text: 'a', number: 1, complete: true },
    { text: '{"b":', number: 2, complete: false },
  ]);
});

test('a line beyond the bound is dropped, what follows is not', async () => {
  const lines = await linesOf([Buffer.from('aaa'), Buffer.from('aaa\nbb\n')], 4);
  expect(lines.map(({ text }) => text)).toEqual([null, 'bb']);
});
