import type { Verdict } from '@loopwarden/detection';
import type { Headers, OutRecord } from '@loopwarden/stream';
import { HEADERS, writeTrigger } from '@loopwarden/wire';
import type { Context } from './context.ts';
import type { Rejected } from './decode.ts';
import type { Judged, JudgedBatch } from './judge.ts';
import type { Task } from './task.ts';

export interface EncodedBatch extends JudgedBatch {
  readonly control: readonly OutRecord[];
  readonly deadLetters: readonly OutRecord[];
}

/** Verdicts and rejections to records; a batch in which somebody waits ends with a mark. */
export function encodeBatch(context: Context, task: Task): (judged: JudgedBatch) => EncodedBatch {
  return (judged) => {
    const { batch, verdicts, rejected } = judged;
    const control = verdicts.map((entry) => verdictRecord(context, task, entry));
    const last = batch.records.at(-1);
    if (last !== undefined && batch.records.some(({ headers }) => HEADERS.mark in headers)) {
      control.push(markRecord(context, task, last.offset));
    }
    return { ...judged, control, deadLetters: rejected.map((entry) => deadLetterRecord(context, entry)) };
  };
}

/** A verdict of an event, or a renewed one (without a record). */
export function verdictRecord(
  { codec, topics }: Context,
  { partition, lineage }: Pick<Task, 'partition' | 'lineage'>,
  { verdict, record }: { verdict: Verdict; record: Judged['record'] | null },
): OutRecord {
  const headers: Record<string, string> = { [HEADERS.lineage]: String(lineage) };
  if (record !== null) Object.assign(headers, triggerHeaders(record));
  const value = codec.encodeVerdict(verdict);
  return { topic: topics.control, partition, key: verdict.runId, value, headers };
}

function triggerHeaders({ partition, offset, headers }: Judged['record']): Headers {
  const traceparent = headers[HEADERS.traceparent];
  const trigger = { [HEADERS.trigger]: writeTrigger({ partition, offset }) };
  return traceparent === undefined ? trigger : { ...trigger, [HEADERS.traceparent]: traceparent };
}

/** A mark that everything up to `offset` has been judged; −1: nothing yet. */
export function markRecord(
  { codec, topics }: Pick<Context, 'codec' | 'topics'>,
  { partition, lineage, end }: Pick<Task, 'partition' | 'lineage' | 'end'>,
  offset: number,
): OutRecord {
  const value = codec.encodeMark({ partition, offset, end: Math.max(end, offset + 1) });
  return {
    topic: topics.control,
    partition,
    key: null,
    value,
    headers: { [HEADERS.lineage]: String(lineage) },
  };
}

function deadLetterRecord({ codec, topics }: Context, { record, code, detail }: Rejected): OutRecord {
  const { topic, partition, offset, timestamp, key, value } = record;
  const letter = codec.encodeDeadLetter({ topic, partition, offset, timestamp, code, detail, key, value });
  return { topic: topics.deadLetters, partition: 0, key: null, value: letter };
}
