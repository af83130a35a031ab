import type { InRecord, PartitionRange, ReadFrom } from '@loopwarden/stream';
import type { OpenedLog } from '../open-log.ts';
import { readRecords } from './read-records.ts';

interface Reading {
  readonly topic: string;
  readonly ranges: readonly PartitionRange[];
}

/** A partition that is being read, and its next record; null: it has no more. */
interface Reader {
  readonly rest: AsyncGenerator<InRecord>;
  next: InRecord | null;
}

/** The first so many records of all partitions together, by time; holds one of each partition. */
export async function* firstRecords(
  opened: OpenedLog,
  { topic, ranges, from }: Reading & { readonly from: ReadFrom },
  limit: number,
): AsyncGenerator<InRecord> {
  const readers: Reader[] = ranges.map(({ partition }) => ({
    rest: readRecords(opened, { topic, partition, from, until: 'end' }),
    next: null,
  }));
  try {
    await Promise.all(readers.map(advance));
    for (let left = limit; left > 0; left--) {
      const reader = earliest(readers);
      if (reader?.next == null) return;
      yield reader.next;
      await advance(reader);
    }
  } finally {
    await Promise.all(readers.map(({ rest }) => rest.return(undefined)));
  }
}

async function advance(reader: Reader): Promise<void> {
  const { done, value } = await reader.rest.next();
  reader.next = done === true ? null : value;
}

/** Of records of one time, that of the first partition. */
function earliest(readers: readonly Reader[]): Reader | undefined {
  let first: Reader | undefined;
  for (const reader of readers)
    if (reader.next !== null && reader.next.timestamp < (first?.next?.timestamp ?? Number.POSITIVE_INFINITY))
      first = reader;
  return first;
}

/** The last so many records of all partitions together, by time; up to where the ranges end. */
export async function lastRecords(
  opened: OpenedLog,
  { topic, ranges }: Reading,
  limit: number,
): Promise<readonly InRecord[]> {
  let last: readonly InRecord[] = [];
  for (const { partition, start, end } of ranges) {
    const own: InRecord[] = [];
    const from = { offset: Math.max(start, end - limit) };
    for await (const record of readRecords(opened, { topic, partition, from, until: end })) own.push(record);
    last = byTime([...last, ...own]).slice(-limit);
  }
  return last;
}

/** Records of one time keep their order. */
function byTime(records: readonly InRecord[]): readonly InRecord[] {
  return records.toSorted((a, b) => a.timestamp - b.timestamp);
}
