import type { Batch } from '@loopwarden/stream';
import { schemaIdOf } from '@loopwarden/wire';
import type { Context } from './context.ts';
import { untilReachable } from './patience.ts';
import type { Task } from './task.ts';

/**
 * Waits until every schema that a batch was written with has been looked up. A registry that cannot be
 * reached makes the partition wait; an id that it does not know is left to the decoder, which rejects it.
 */
export async function readable(
  { codec, findSchema, time, facts }: Context,
  task: Pick<Task, 'partition' | 'signal'>,
  batch: Batch,
): Promise<Batch> {
  for (const id of unknownIds(codec, batch)) {
    const schema = await untilReachable(() => findSchema(id), {
      time,
      signal: task.signal,
      waiting: (detail) => facts.waiting(task.partition, detail),
    });
    if (schema !== null) codec.addSchema(id, schema);
  }
  return batch;
}

function unknownIds(codec: Context['codec'], { records }: Batch): ReadonlySet<number> {
  const ids = new Set<number>();
  for (const { value } of records) {
    const id = value === null ? null : schemaIdOf(value);
    if (id !== null && !codec.knows(id)) ids.add(id);
  }
  return ids;
}
