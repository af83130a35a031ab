import { openPartition, type Partition } from '@loopwarden/detection';
import type { Committed, InRecord, LogReader, PartitionRange } from '@loopwarden/stream';
import type { Context } from './context.ts';
import { DEFAULTS_IN_FORCE, policyBefore } from './policy-at.ts';

export interface FoldStart {
  readonly from: number;
  readonly fold: Partition;
}

/**
 * Where a fold without saved state begins: at offset 0 while the log is whole; else as far before the
 * committed offset as a run may be silent; without a commit at the log's start. A fold from 0 begins with the
 * default policy, any other with the newest revision older than its first record (wire contract, 10 and 11).
 */
export async function foldStart(
  context: Context,
  range: PartitionRange,
  committed: Committed | null,
): Promise<FoldStart> {
  const { maxRuns } = context;
  if (range.start === 0) return { from: 0, fold: openPartition({ ...DEFAULTS_IN_FORCE, maxRuns }) };
  const from = committed === null ? range.start : await idleBefore(context, range, committed);
  const first = await recordAt(context.reader, { topic: context.topics.events, ...range, offset: from });
  // Nothing to read yet: what comes is newer than every revision.
  const inForce = await policyBefore(context, first?.timestamp ?? Number.POSITIVE_INFINITY);
  return { from, fold: openPartition({ ...inForce, maxRuns }) };
}

/** The first offset whose record is within the idle horizon, in force then, of the committed record. */
async function idleBefore(context: Context, range: PartitionRange, committed: Committed): Promise<number> {
  const { reader, topics } = context;
  const offset = Math.min(Math.max(committed.offset, range.start), range.end - 1);
  const record = await recordAt(reader, { topic: topics.events, ...range, offset });
  if (record === null) return range.start;
  const { policy } = await policyBefore(context, record.timestamp);
  const offsets = await reader.offsetsAt(topics.events, record.timestamp - policy.idleMs);
  const found = offsets.get(range.partition) ?? range.start;
  return Math.min(Math.max(found, range.start), offset);
}

/** The record at an offset, or the next one present; null at the end. */
export async function recordAt(
  reader: LogReader,
  { topic, partition, offset }: { topic: string; partition: number; offset: number },
): Promise<InRecord | null> {
  const read = { topic, partition, from: { offset }, until: 'end', batchSize: 1 } as const;
  for await (const { records } of reader.read(read)) return records[0] ?? null;
  return null;
}
