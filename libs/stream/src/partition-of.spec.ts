import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { murmur2, partitionOf } from './partition-of.ts';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The vectors of the Java client's own test (UtilsTest.testMurmur2). */
const javaVectors: readonly (readonly [string, number])[] = [
  ['21', -973932308],
  ['foobar', -790332482],
  ['a-little-bit-long-string', -985981536],
  ['a-little-bit-longer-string', -1486304829],
  ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
  ['abc', 479470107],
];

describe('partitionOf', () => {
  it.each(javaVectors)('hashes %s as the Java client does', (text, hash) => {
    expect(murmur2(utf8(text))).toBe(hash);
  });

  it('makes the hash positive by dropping its sign bit', () => {
    expect(partitionOf('21', 1_000_000_000)).toBe(173551340); // -973932308 + 2^31
    expect(partitionOf('foobar', 1)).toBe(0);
  });

  it('takes a key as text or as its UTF-8 bytes, wherever they stand in a buffer', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 512 }), (text, partitions) => {
        const bytes = utf8(text);
        const shifted = new Uint8Array(bytes.length + 3).subarray(3);
        shifted.set(bytes);
        const partition = partitionOf(text, partitions);
        expect(partitionOf(shifted, partitions)).toBe(partition);
        expect(partition).toBeGreaterThanOrEqual(0);
        expect(partition).toBeLessThan(partitions);
      }),
    );
  });
});
