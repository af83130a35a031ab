import { expect, it } from 'vitest';
import { bytesLines } from './bytes-lines.ts';

it('shows bytes as hexadecimal and text, sixteen a line', () => {
  expect(bytesLines(Buffer.from('\0loopwarden\u001b[31m!!'))).toEqual([
    '0000  00 6c 6f 6f 70 77 61 72 64 65 6e 1b 5b 33 31 6d  .loopwarden.[31m',
    '0010  21 21                                            !!',
  ]);
});

it('says how many more there are', () => {
  expect(bytesLines(new Uint8Array(40), 32).at(-1)).toBe('… 8 more');
});
