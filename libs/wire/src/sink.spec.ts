import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cursorAt, faultOf, readInt, readLong } from './cursor.ts';
import { createNames } from './names.ts';
import { createSink, takeBytes, writeInt, writeLong } from './sink.ts';

/** Zigzag and base 128 as the Avro specification has them, in numbers that have no limit. */
function zigzag(value: number): number[] {
  const bytes: number[] = [];
  let rest = value < 0 ? -2n * BigInt(value) - 1n : 2n * BigInt(value);
  for (; rest >= 128n; rest /= 128n) bytes.push(Number(rest % 128n) + 128);
  return [...bytes, Number(rest)];
}

function writtenLong(value: number): Buffer {
  const sink = createSink();
  writeLong(sink, value);
  return Buffer.from(takeBytes(sink));
}

const EDGES = [6, 7, 13, 14, 20, 27, 28, 29, 30, 31, 32, 34, 35, 41, 52, 53].flatMap((bits) => {
  const edge = 2 ** bits;
  return [edge - 1, edge, -edge, -edge - 1, 1 - edge].filter(Number.isSafeInteger);
});

describe('longs', () => {
  it('are written as the specification says and come back', () => {
    fc.assert(
      fc.property(fc.oneof(fc.constantFrom(0, -1, ...EDGES), fc.maxSafeInteger()), (value) => {
        expect([...writtenLong(value)]).toEqual(zigzag(value));
        const cursor = cursorAt(writtenLong(value), 0, createNames());
        expect(readLong(cursor)).toBe(value);
        expect(faultOf(cursor)).toBeNull();
      }),
      { examples: EDGES.map((value) => [value]), numRuns: 300 },
    );
  });

  it.each([
    ['2^53', [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20]],
    ['the largest of 64 bits', [0xfe, ...new Array<number>(8).fill(0xff), 1]],
    ['more than ten bytes', [...new Array<number>(10).fill(0x80), 1]],
  ])('refuses %s, which a number does not hold exactly', (_, bytes) => {
    const cursor = cursorAt(Buffer.from(bytes), 0, createNames());
    readLong(cursor);
    expect(faultOf(cursor)).toBe('a long is beyond 53 bits');
  });
});

describe('ints', () => {
  it.each([2 ** 31, -(2 ** 31) - 1, 0.5])('%d is none', (value) => {
    expect(() => writeInt(createSink(), value)).toThrow(RangeError);
  });

  it('refuses a long in the place of an int', () => {
    const cursor = cursorAt(writtenLong(2 ** 31), 0, createNames());
    readInt(cursor);
    expect(faultOf(cursor)).toBe('an int is beyond 32 bits');
  });
});
