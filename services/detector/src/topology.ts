import type { Batch } from '@loopwarden/stream';
import { concatMap, lastValueFrom, map, type OperatorFunction, of } from 'rxjs';
import type { Context } from './context.ts';
import { decodeBatch } from './decode.ts';
import { type EncodedBatch, encodeBatch } from './encode.ts';
import { type JudgedBatch, judgeBatch } from './judge.ts';
import { publishBatch } from './publish.ts';
import { readable } from './readable.ts';
import type { Task } from './task.ts';

/**
 * The walk of one partition: records in, records out.
 *
 *     events → decode → judge → encode → control topic
 *                 └──▶ dead letters
 */
function walk(context: Context, task: Task): OperatorFunction<Batch, EncodedBatch> {
  return (batches$) =>
    batches$.pipe(
      fold(context, task),
      map(encodeBatch(context, task)),
      concatMap(publishBatch(context, task)),
    );
}

/** The walk without its output: what brings a fold up to where others have already published. */
function fold(context: Context, task: Task): OperatorFunction<Batch, JudgedBatch> {
  return (batches$) =>
    batches$.pipe(
      concatMap((batch) => readable(context, task, batch)),
      map(decodeBatch(context)),
      map(judgeBatch(context, task)),
    );
}

/** Takes one batch through the walk; resolves when all that it led to is acknowledged. */
export function walkBatch(context: Context, task: Task, batch: Batch): Promise<EncodedBatch> {
  return lastValueFrom(of(batch).pipe(walk(context, task)));
}

/** Folds one batch and publishes nothing. */
export function foldBatch(context: Context, task: Task, batch: Batch): Promise<JudgedBatch> {
  return lastValueFrom(of(batch).pipe(fold(context, task)));
}
