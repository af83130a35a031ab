import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  type ByteReader,
  byteReader,
  byteWriter,
  readCount,
  readNumber,
  readText,
  readTextLike,
  readWords,
  takePiece,
  writeCount,
  writeNumber,
  writeText,
  writeWords,
} from './bytes.ts';

const count = fc.oneof(fc.nat(300), fc.nat(), fc.maxSafeNat());
const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.array(fc.nat(65_535), { maxLength: 30 }).map((units) => String.fromCharCode(...units)),
  fc.nat(100_000).map((length) => 'x'.repeat(length)),
);

it('reads what was written, exactly and in order, piece by piece', () => {
  const writer = byteWriter();
  const words = fc.array(fc.integer(), { minLength: 1, maxLength: 8 });
  let last: ByteReader | null = null;
  fc.assert(
    fc.property(fc.array(fc.tuple(count, fc.option(text), fc.double(), words)), (entries) => {
      for (const [whole, said, any, some] of entries) {
        writeCount(writer, whole);
        writeText(writer, said);
        writeNumber(writer, any);
        writeWords(writer, Int32Array.from(some), [0, some.length]);
      }
      const piece = takePiece(writer);
      const reader = byteReader(piece, last);
      last = reader;
      for (const [whole, said, any, some] of entries) {
        const read = new Int32Array(some.length);
        expect([readCount(reader), readText(reader), readNumber(reader)]).toEqual([whole, said, any]);
        readWords(reader, read, [0, some.length]);
        expect([...read]).toEqual(some);
      }
      expect(reader.at).toBe(piece.byteOffset + piece.length);
    }),
  );
});

it('takes a text for the other one only if it is the same', () => {
  const narrow = fc.string({ maxLength: 9, unit: fc.constantFrom('a', 'b', 'é', '🙂') });
  fc.assert(
    fc.property(fc.option(narrow), fc.option(narrow), (said, other) => {
      const writer = byteWriter();
      writeText(writer, said);
      writeCount(writer, 7);
      const reader = byteReader(takePiece(writer));
      expect(readTextLike(reader, other)).toBe(said);
      expect(readCount(reader)).toBe(7);
    }),
  );
});

it('refuses a count that the end of the bytes cuts off', () => {
  expect(() => readCount(byteReader(Uint8Array.of(200, 200)))).toThrow(RangeError);
});

it('never writes into a piece that was taken', () => {
  const writer = byteWriter();
  writeText(writer, 'first');
  const first = takePiece(writer);
  for (let turn = 0; turn < 10_000; turn += 1) writeText(writer, `later ${turn}`);
  expect(readText(byteReader(first))).toBe('first');
});
