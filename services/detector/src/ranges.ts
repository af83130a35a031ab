import type { PartitionRange } from '@loopwarden/stream';
import type { Context } from './context.ts';

/** What a partition of a topic holds now. */
export async function rangeOf(
  { reader }: Pick<Context, 'reader'>,
  topic: string,
  partition: number,
): Promise<PartitionRange> {
  const ranges = await reader.ranges(topic);
  const range = ranges.find((candidate) => candidate.partition === partition);
  if (range === undefined)
    throw new Error(`Topic ${topic} has no partition ${partition}: its topics differ in partitions.`);
  return range;
}
