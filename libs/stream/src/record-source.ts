import type { PartitionRange, ReadFrom, ReadOptions } from './log.ts';
import type { Batch, InRecord } from './record.ts';

/** How many records a batch holds at most unless the reader says so. */
export const defaultBatchSize = 500;

/** Where a driver's records come from: the little that reading and delivering need. */
export interface RecordSource {
  range(topic: string, partition: number): Promise<PartitionRange>;
  /** The first record at or after the timestamp (epoch milliseconds); the end where there is none. */
  offsetAt(topic: string, partition: number, timestamp: number): Promise<number>;
  /** The next records at or after the offset, at most `limit`, with the log's end; at once. */
  slice(topic: string, partition: number, from: SliceFrom): Promise<Slice>;
  /** Resolves when the partition's end is above the offset, or the signal aborts. */
  grown(topic: string, partition: number, from: { end: number; signal: AbortSignal }): Promise<void>;
}

export interface SliceFrom {
  readonly offset: number;
  readonly limit: number;
}

export interface Slice {
  readonly records: readonly InRecord[];
  readonly end: number;
}

/** Reads a partition as `LogReader.read` promises, over what a driver gives. */
export async function* readBatches(
  source: RecordSource,
  options: ReadOptions & { readonly signal: AbortSignal },
): AsyncGenerator<Batch> {
  const { topic, partition, signal } = options;
  const limit = options.batchSize ?? defaultBatchSize;
  if (signal.aborted) return;
  const until = await endOf(source, options);
  let offset = await startOf(source, options);
  while (offset < until && !signal.aborted) {
    const slice = await source.slice(topic, partition, { offset, limit });
    const records = before(slice.records, until);
    const last = records.at(-1);
    if (last !== undefined) {
      offset = last.offset + 1;
      if (!signal.aborted) yield { topic, partition, records, end: slice.end };
    } else if (slice.end >= until) {
      return;
    } else {
      await source.grown(topic, partition, { end: slice.end, signal });
    }
  }
}

async function endOf(source: RecordSource, { topic, partition, until }: ReadOptions): Promise<number> {
  if (until === 'never') return Number.POSITIVE_INFINITY;
  const { end } = await source.range(topic, partition);
  return until === 'end' ? end : until;
}

async function startOf(source: RecordSource, options: ReadOptions): Promise<number> {
  const { topic, partition } = options;
  const from: ReadFrom = options.from;
  const range = await source.range(topic, partition);
  if (from === 'start' || from === 'end') return range[from];
  if ('offset' in from) return from.offset;
  return source.offsetAt(topic, partition, from.timestamp);
}

function before(records: readonly InRecord[], until: number): readonly InRecord[] {
  const last = records.at(-1);
  return last === undefined || last.offset < until ? records : records.filter(({ offset }) => offset < until);
}
