import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  byteReader,
  byteWriter,
  readCount,
  readNumber,
  readText,
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
  fc.assert(
    fc.property(fc.array(fc.tuple(count, fc.option(text), fc.double(), words)), (entries) => {
      for (const [whole, said, any, some] of entries) {
        writeCount(writer, whole);
        writeText(writer, said);
        writeNumber(writer, any);
        writeWords(writer, Int32Array.from(some), [0, some.length]);
      }
      const reader = byteReader(takePiece(writer));
      for (const [whole, said, any, some] of entries) {
        const read = new Int32Array(some.length);
        expect([readCount(reader), readText(reader), readNumber(reader)]).toEqual([whole, said, any]);
        readWords(reader, read, [0, some.length]);
        expect([...read]).toEqual(some);
      }
      expect(reader.at).toBe(reader.bytes.length);
    }),
  );
});

it('never writes into a piece that was taken', () => {
  const writer = byteWriter();
  writeText(writer, 'first');
  const first = takePiece(writer);
  for (let turn = 0; turn < 10_000; turn += 1) writeText(writer, `later ${turn}`);
  expect(readText(byteReader(first))).toBe('first');
});
