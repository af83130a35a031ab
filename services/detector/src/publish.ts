import { LogError, type OutRecord, type Position } from '@loopwarden/stream';
import type { Context } from './context.ts';
import type { EncodedBatch } from './encode.ts';
import { untilReachable } from './patience.ts';
import type { Task } from './task.ts';

/**
 * Appends what a batch led to and moves the task on when all of it is acknowledged. Appending again after a
 * failure may double records: their ids are the same, so readers drop the second.
 */
export function publishBatch(context: Context, task: Task): (encoded: EncodedBatch) => Promise<EncodedBatch> {
  return async (encoded) => {
    const { batch, control, deadLetters, verdicts, rejected } = encoded;
    const positions = await append(context, task, [...control, ...deadLetters]);
    const { facts } = context;
    for (const { record, code, detail } of rejected) facts.deadLetter(code, detail, record);
    verdicts.forEach(({ record, verdict }, index) => {
      facts.verdict(verdict, record);
      const position = positions[index];
      if (position !== undefined) facts.delay(Math.max(0, position.timestamp - record.timestamp));
    });
    task.judged = batch.records.at(-1)?.offset ?? task.judged;
    task.end = Math.max(task.end, batch.end);
    return encoded;
  };
}

/** Appends for a task, trying again while the log cannot be reached and the partition is still owned. */
export async function append(
  { writer, time, facts }: Pick<Context, 'writer' | 'time' | 'facts'>,
  { signal, partition }: Pick<Task, 'signal' | 'partition'>,
  records: readonly OutRecord[],
): Promise<readonly Position[]> {
  if (records.length === 0) return [];
  const attempt = (): Promise<readonly Position[]> => {
    if (signal.aborted)
      throw new LogError('fenced', `Partition ${partition} was lost; nothing more is published for it.`);
    return writer.append(records);
  };
  return untilReachable(attempt, { time, signal, waiting: (detail) => facts.waiting(partition, detail) });
}
