import type { OutRecord } from '@loopwarden/stream';
import type { Context } from '../context.ts';
import type { Task } from '../task.ts';

/** Writes records of a task's state, as long as the partition is owned; null: what stood under the key is removed. */
export async function writeState(
  { stateWriter, topics }: Context,
  { partition, signal }: Task,
  entries: readonly (readonly [string, Uint8Array | null])[],
): Promise<void> {
  signal.throwIfAborted();
  const records: OutRecord[] = entries.map(([key, value]) => ({
    topic: topics.state,
    partition,
    key,
    value,
  }));
  if (records.length > 0) await stateWriter.append(records);
}
