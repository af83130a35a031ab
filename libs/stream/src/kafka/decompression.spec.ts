import { describe, expect, it } from 'vitest';
import { lz4Decompress } from './lz4.ts';
import { snappyDecompress } from './snappy.ts';

const text = (bytes: Buffer): string => bytes.toString();
const ascii = (letters: string): number[] => [...Buffer.from(letters)];

/** An LZ4 frame around blocks: magic, flags (independent blocks, no checksums), block size, header checksum. */
function frame(...blocks: { bytes: number[]; stored?: boolean }[]): Buffer {
  const parts = blocks.map(({ bytes, stored = false }) => {
    const size = Buffer.alloc(4);
    size.writeUInt32LE(bytes.length + (stored ? 0x80000000 : 0));
    return Buffer.concat([size, Buffer.from(bytes)]);
  });
  return Buffer.concat([Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x82]), ...parts, Buffer.alloc(4)]);
}

describe('LZ4', () => {
  it('repeats what came before, also over itself, and long runs by extended lengths', () => {
    // 1 literal "a", then a copy of 4 + 15 + 5 from 1 back, then the last literals.
    const block = [0x1f, ...ascii('a'), 1, 0, 5, 0x30, ...ascii('end')];
    expect(text(lz4Decompress(frame({ bytes: block })))).toBe(`${'a'.repeat(25)}end`);
  });

  it('takes literals of any length, stored blocks, and copies across blocks', () => {
    const long = 'x'.repeat(15 + 255 + 3);
    const literals = [0xf0, 255, 3, ...ascii(long)];
    const copy = [0x00, 3, 0, 0x10, ...ascii('!')];
    const bytes = frame({ bytes: literals }, { bytes: ascii('abc'), stored: true }, { bytes: copy });
    expect(text(lz4Decompress(bytes))).toBe(`${long}abcabca!`);
  });

  it('refuses what is no frame, and copies from before the beginning', () => {
    expect(() => lz4Decompress(Buffer.from('not a frame'))).toThrow('LZ4');
    expect(() => lz4Decompress(frame({ bytes: [0x10, 97, 9, 0, 0x00] }))).toThrow('before the beginning');
  });
});

describe('Snappy', () => {
  it('takes literals and copies of all three kinds', () => {
    const one = [0b000_000_01 | (2 << 2), 3];
    const two = [0b10 | (2 << 2), 3, 0];
    const four = [0b11 | (2 << 2), 3, 0, 0, 0];
    const block = Buffer.from([18, (3 - 1) << 2, ...ascii('abc'), ...one, ...two, ...four]);
    expect(text(snappyDecompress(block))).toBe('abcabcabcabcabc');
  });

  it('takes a long literal, whose length stands apart, after a length of several bytes', () => {
    const long = 'y'.repeat(300);
    const block = Buffer.from([0xac, 0x02, 61 << 2, 0x2b, 0x01, ...ascii(long)]);
    expect(text(snappyDecompress(block))).toBe(long);
  });

  it('takes the chunks that the Java client makes', () => {
    const header = [0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0, 0, 0, 0, 1, 0, 0, 0, 1];
    const chunk = (letters: string): number[] => {
      const block = [letters.length, (letters.length - 1) << 2, ...ascii(letters)];
      return [0, 0, 0, block.length, ...block];
    };
    expect(text(snappyDecompress(Buffer.from([...header, ...chunk('loop'), ...chunk('warden')])))).toBe(
      'loopwarden',
    );
  });
});
