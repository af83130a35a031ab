import { expect, test } from 'vitest';
import { printable, rangesText, spanText } from './printable.ts';
import { tableLines } from './table.ts';

test('what comes from a transcript cannot command the terminal', () => {
  expect(printable('a\u001b[31mb\n\u202ec')).toBe('a [31mb c');
});

test('long text is cut between characters', () => {
  expect(printable('😀😀😀😀', 3)).toBe('😀😀…');
});

test.each([
  [[1, 2, 3], '1–3'],
  [[1, 3, 4, 9], '1, 3–4, 9'],
  [[], ''],
])('%j as ranges', (numbers, text) => {
  expect(rangesText(numbers)).toBe(text);
});

test.each([
  [850, '850 ms'],
  [12_400, '12 s'],
  [185_000, '3 min 5 s'],
  [7_800_000, '2 h 10 min'],
])('%d ms for people', (ms, text) => {
  expect(spanText(ms)).toBe(text);
});

test('columns are as wide as their widest cell', () => {
  const lines = tableLines(
    [
      { title: 'NAME', align: 'left', cell: ({ name }: { name: string; calls: number }) => name },
      { title: 'N', align: 'right', cell: ({ calls }) => `${calls}` },
    ],
    [
      { name: 'a', calls: 1 },
      { name: 'longer', calls: 100 },
    ],
    (title) => title,
  );
  expect(lines).toEqual(['NAME      N', 'a         1', 'longer  100']);
});
