import kafkajs from 'kafkajs';
import type { Headers, InRecord } from '../record.ts';
import { AnswerBytes } from './answer-bytes.ts';

/** The record batches that a broker sent of one partition. */
export interface RecordSet {
  /** Of whole batches, also when the fetch began in the middle of the first. Control records are left out. */
  readonly records: readonly InRecord[];
  /** The offset behind the last whole batch, whose last records may have been compacted away; null: none came. */
  readonly next: number | null;
}

export interface PlaceInLog {
  readonly topic: string;
  readonly partition: number;
}

/** Record batches as Kafka writes them since 0.11; older message sets are refused. */
const MAGIC = 2;
/** Up to and with the length; what the length counts follows. */
const PREFIX_BYTES = 12;
const COMPRESSION = 0x07;
const LOG_APPEND_TIME = 0x08;
const CONTROL = 0x20;
const NO_HEADERS: Headers = Object.freeze({});

/**
 * Record batches to records whose keys and values share the memory of the answer. kafkajs's own decoder costs
 * three times as much a record. Rejects with a `RangeError` when bytes are damaged.
 */
export async function decodeRecordSet(bytes: Buffer, place: PlaceInLog): Promise<RecordSet> {
  const records: InRecord[] = [];
  let next: number | null = null;
  for (let at = 0; bytes.length - at >= PREFIX_BYTES; ) {
    const size = PREFIX_BYTES + bytes.readInt32BE(at + 8);
    // Brokers cut the last batch where the answer is full.
    if (size > bytes.length - at) break;
    const batch = readBatchHead(new AnswerBytes(bytes.subarray(at, at + size)));
    next = batch.firstOffset + batch.lastOffsetDelta + 1;
    if (!batch.control) addRecords(await uncompressed(batch), { batch, place, records });
    at += size;
  }
  return { records, next };
}

interface BatchHead {
  readonly firstOffset: number;
  readonly lastOffsetDelta: number;
  readonly firstTimestamp: number;
  /** Of every record, where the log gives the time; null: each has its own. */
  readonly appendedAt: number | null;
  readonly compression: number;
  readonly control: boolean;
  readonly count: number;
  /** Stands before the first record. */
  readonly body: AnswerBytes;
}

function readBatchHead(body: AnswerBytes): BatchHead {
  const firstOffset = body.int64();
  body.skip(8); // length, leader epoch
  const magic = body.int8();
  if (magic !== MAGIC) throw new RangeError(`the record batch has format ${magic}, not ${MAGIC}`);
  body.skip(4); // checksum: brokers verify it, and TCP has its own
  const attributes = body.int16();
  const lastOffsetDelta = body.int32();
  const firstTimestamp = body.int64();
  const newest = body.int64();
  body.skip(14); // producer and its sequence
  return {
    firstOffset,
    lastOffsetDelta,
    firstTimestamp,
    appendedAt: (attributes & LOG_APPEND_TIME) === 0 ? null : newest,
    compression: attributes & COMPRESSION,
    control: (attributes & CONTROL) !== 0,
    count: body.int32(),
    body,
  };
}

async function uncompressed({ compression, body }: BatchHead): Promise<AnswerBytes> {
  if (compression === 0) return body;
  const codec = kafkajs.CompressionCodecs[compression as keyof typeof kafkajs.CompressionCodecs];
  if (codec === undefined) throw new RangeError(`the record batch has an unknown compression ${compression}`);
  try {
    return new AnswerBytes(await codec().decompress(body.bytes.subarray(body.pos)));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new RangeError(`the record batch cannot be decompressed: ${reason}`);
  }
}

interface Target {
  readonly batch: BatchHead;
  readonly place: PlaceInLog;
  readonly records: InRecord[];
}

function addRecords(body: AnswerBytes, { batch, place, records }: Target): void {
  const { topic, partition } = place;
  const { firstOffset, firstTimestamp, appendedAt } = batch;
  for (let index = 0; index < batch.count; index++) {
    const length = body.varint();
    const end = body.pos + length;
    body.skip(1); // attributes, unused
    const timestamp = firstTimestamp + body.varint();
    const offset = firstOffset + body.varint();
    const key = body.slice(body.varint());
    const value = body.slice(body.varint());
    const headers = readHeaders(body);
    if (body.pos !== end) throw new RangeError('a record does not end where its length says');
    records.push({ topic, partition, offset, timestamp: appendedAt ?? timestamp, key, value, headers });
  }
  if (body.left > 0) throw new RangeError('a batch holds more than the records that it counts');
}

/** Headers as text; of a repeated one the last counts, as in Kafka's own clients. One without a value is none. */
function readHeaders(body: AnswerBytes): Headers {
  const count = body.varint();
  if (count === 0) return NO_HEADERS;
  const headers: Record<string, string> = {};
  for (let index = 0; index < count; index++) {
    const name = body.text(body.varint());
    const length = body.varint();
    if (length >= 0) headers[name] = body.text(length);
  }
  return headers;
}
