import { expect, it } from 'vitest';
import { readDuration } from './duration.ts';

it.each([
  ['90s', 90_000],
  ['30m', 1_800_000],
  [' 2h ', 7_200_000],
  ['1d', 86_400_000],
  ['5ms', 5],
  [1500, 1500],
  ['1500', null],
  ['h', null],
  ['1 h', null],
  ['-1h', null],
  ['1.5h', null],
  [1.5, null],
  [-1, null],
  [null, null],
])('reads %j as %j milliseconds', (value, ms) => {
  expect(readDuration(value)).toBe(ms);
});
