import fc from 'fast-check';
import kafkajs from 'kafkajs';
import Decoder from 'kafkajs/src/protocol/decoder.js';
import encodeRecord from 'kafkajs/src/protocol/recordBatch/record/v0/index.js';
import recordBatch from 'kafkajs/src/protocol/recordBatch/v0/index.js';
import decodeMessages from 'kafkajs/src/protocol/requests/fetch/v4/decodeMessages.js';
import { describe, expect, it } from 'vitest';
import { registerCodecs } from './codecs.ts';
import { decodeRecordSet } from './record-set.ts';

registerCodecs();

interface Written {
  readonly offset: number;
  readonly delay: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, Buffer | Buffer[]>>;
}

const PLACE = { topic: 'events', partition: 3 };
const T0 = 1_764_500_000_000;
const RUNS = 200;

/** A batch as kafkajs writes it, moved to where brokers put it. */
async function batch(first: number, written: readonly Written[], compression = 0): Promise<Buffer> {
  const { buffer } = await recordBatch.RecordBatch({
    compression,
    firstTimestamp: T0,
    maxTimestamp: T0 + 99,
    lastOffsetDelta: 9,
    records: written.map(({ offset, delay, ...rest }) =>
      encodeRecord({ offsetDelta: offset, timestampDelta: delay, ...rest }),
    ),
  });
  buffer.writeBigInt64BE(BigInt(first), 0);
  return buffer;
}

/** What kafkajs reads of the same bytes, in our words. */
async function asKafkajs(bytes: Buffer): Promise<unknown> {
  const size = Buffer.alloc(4);
  size.writeInt32BE(bytes.length);
  const messages = await decodeMessages(new Decoder(Buffer.concat([size, bytes])));
  return messages.map(({ offset, timestamp, key, value, headers }) => ({
    ...PLACE,
    offset: Number(offset),
    timestamp: Number(timestamp),
    key,
    value,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, said]) => [name, String(Array.isArray(said) ? said.at(-1) : said)]),
    ),
  }));
}

const bytesOrNull = fc.option(fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)));
const text = fc.string({ maxLength: 20, unit: 'grapheme' }).map((letters) => Buffer.from(letters));
const written: fc.Arbitrary<Written> = fc.record({
  offset: fc.integer({ min: 0, max: 300 }),
  delay: fc.integer({ min: -100_000, max: 3_000_000 }),
  key: bytesOrNull,
  value: bytesOrNull,
  headers: fc.dictionary(
    fc.string({ maxLength: 8 }).filter((name) => name !== '__proto__'),
    fc.oneof(text, fc.array(text, { minLength: 2, maxLength: 3 })),
    {
      maxKeys: 3,
      noNullPrototype: true,
    },
  ),
});
const compression = fc.constantFrom(0, kafkajs.CompressionTypes.GZIP, kafkajs.CompressionTypes.ZSTD);

describe('the records of an answer', () => {
  it('are those that kafkajs reads of the same bytes', async () => {
    const batches = fc.array(fc.tuple(fc.array(written, { minLength: 1, maxLength: 5 }), compression), {
      minLength: 1,
      maxLength: 3,
    });
    const law = fc.asyncProperty(batches, async (all) => {
      const sent = await Promise.all(
        all.map(([records, codec], index) => batch(1000 * index, records, codec)),
      );
      const bytes = Buffer.concat(sent);
      const { records, next } = await decodeRecordSet(bytes, PLACE);
      expect(records).toEqual(await asKafkajs(bytes));
      expect(next).toBe(1000 * (all.length - 1) + 10);
    });
    await fc.assert(law, { numRuns: RUNS });
  });

  it('end where the broker cut the last batch', async () => {
    const record = { offset: 0, delay: 0, key: null, value: Buffer.from('x'), headers: {} };
    const [whole, cut] = [await batch(5, [record]), await batch(20, [record])];
    const bytes = Buffer.concat([whole, cut.subarray(0, cut.length - 1)]);
    const { records, next } = await decodeRecordSet(bytes, PLACE);
    expect(records.map(({ offset }) => offset)).toEqual([5]);
    expect(next).toBe(15);
    expect(await decodeRecordSet(bytes.subarray(0, 11), PLACE)).toEqual({ records: [], next: null });
  });

  it('are none of a batch of control records, which is stepped over', async () => {
    const bytes = await batch(5, [{ offset: 0, delay: 0, key: null, value: null, headers: {} }]);
    const ATTRIBUTES_AT = 21;
    bytes.writeInt16BE(0x20, ATTRIBUTES_AT);
    expect(await decodeRecordSet(bytes, PLACE)).toEqual({ records: [], next: 15 });
  });

  it('carry the time of the log where the log gives it', async () => {
    const bytes = await batch(5, [{ offset: 0, delay: 7, key: null, value: null, headers: {} }]);
    const ATTRIBUTES_AT = 21;
    bytes.writeInt16BE(0x08, ATTRIBUTES_AT);
    expect((await decodeRecordSet(bytes, PLACE)).records[0]?.timestamp).toBe(T0 + 99);
  });

  it('are refused, in bounded time, when their bytes are damaged', async () => {
    const damage = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), {
      minLength: 1,
      maxLength: 4,
    });
    const law = fc.asyncProperty(
      fc.array(written, { minLength: 1, maxLength: 4 }),
      compression,
      damage,
      async (records, codec, flips) => {
        const bytes = await batch(0, records, codec);
        for (const [at, byte] of flips) bytes[at % bytes.length] = byte;
        await decodeRecordSet(bytes, PLACE).catch((error: unknown) =>
          expect(error).toBeInstanceOf(RangeError),
        );
      },
    );
    await fc.assert(law, { numRuns: RUNS });
  });

  it.each([
    { counted: 1, told: 'more than the records' },
    { counted: -1, told: 'more than the records' },
    { counted: 3, told: 'ends too early' },
  ])('are refused when the batch counts $counted of its 2', async ({ counted, told }) => {
    const record = { delay: 0, key: null, value: Buffer.from('x'), headers: {} };
    for (const codec of [0, kafkajs.CompressionTypes.GZIP]) {
      const bytes = await batch(
        5,
        [0, 1].map((offset) => ({ ...record, offset })),
        codec,
      );
      const COUNT_AT = 57;
      bytes.writeInt32BE(counted, COUNT_AT);
      await expect(decodeRecordSet(bytes, PLACE)).rejects.toThrow(told);
    }
  });

  it('of a format before Kafka 0.11 are refused', async () => {
    const bytes = await batch(5, [{ offset: 0, delay: 0, key: null, value: null, headers: {} }]);
    bytes.writeInt8(1, 16);
    await expect(decodeRecordSet(bytes, PLACE)).rejects.toThrow('format 1');
  });
});
