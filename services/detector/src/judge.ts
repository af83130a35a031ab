import { judge, type Verdict } from '@loopwarden/detection';
import type { InRecord } from '@loopwarden/stream';
import type { Context } from './context.ts';
import type { DecodedBatch, Rejected } from './decode.ts';
import type { Task } from './task.ts';

/** A verdict and the record that triggered it. */
export interface Judged {
  readonly record: InRecord;
  readonly verdict: Verdict;
}

export interface JudgedBatch {
  readonly batch: DecodedBatch['batch'];
  readonly verdicts: readonly Judged[];
  readonly rejected: readonly Rejected[];
}

/** Events to verdicts: each event is folded into its run, in the order of the log. */
export function judgeBatch({
  facts,
}: Pick<Context, 'facts'>): (task: Task, decoded: DecodedBatch) => readonly JudgedBatch[] {
  return (task, { batch, arrived, rejected }) => {
    const verdicts: Judged[] = [];
    for (const { record, event } of arrived) {
      facts.event(event.type);
      const judgement = judge(task.fold, event, record.timestamp);
      for (const note of judgement.notes) facts.note(note, record);
      for (const verdict of judgement.verdicts) verdicts.push({ record, verdict });
    }
    return [{ batch, verdicts, rejected }];
  };
}
