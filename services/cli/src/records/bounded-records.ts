import type { InRecord, PartitionRange, ReadFrom } from '@loopwarden/stream';
import type { OpenedLog } from '../open-log.ts';
import { readRecords } from './read-records.ts';

interface Reading {
  readonly topic: string;
  readonly ranges: readonly PartitionRange[];
}

/** The first so many records of all partitions together, by time; holds no more of them than twice as many. */
export async function firstRecords(
  opened: OpenedLog,
  { topic, ranges, from }: Reading & { readonly from: ReadFrom },
  limit: number,
): Promise<readonly InRecord[]> {
  let first: readonly InRecord[] = [];
  for (const { partition } of ranges) {
    const own: InRecord[] = [];
    for await (const record of readRecords(opened, { topic, partition, from, until: 'end' })) {
      if (own.push(record) >= limit) break;
    }
    first = byTime([...first, ...own]).slice(0, limit);
  }
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
