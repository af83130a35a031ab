import {
  type Batch,
  batches,
  byPartition,
  fold,
  type InPartition,
  type ReadOptions,
} from '@loopwarden/stream';
import {
  catchError,
  concatMap,
  EMPTY,
  lastValueFrom,
  map,
  type Observable,
  type OperatorFunction,
  of,
  Subject,
  tap,
} from 'rxjs';
import type { Context } from './context.ts';
import { decodeBatch } from './decode.ts';
import { type EncodedBatch, encodeBatch } from './encode.ts';
import { type JudgedBatch, judgeBatch } from './judge.ts';
import { publishBatch } from './publish.ts';
import { readable } from './readable.ts';
import type { Task } from './task.ts';

/** One batch of an owned partition on its way through the walk. */
interface Passage {
  readonly batch: Batch;
  readonly context: Context;
  readonly task: Task;
}

/** A passage, and who waits for it. */
interface Delivery extends Passage, InPartition {
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/** The walk of a detector's partitions. */
export interface Walk {
  /** Resolves when all that the batch led to is acknowledged. */
  take(passage: Passage): Promise<void>;
  /** The partition is no longer ours: its stream ends. */
  lose(partition: InPartition): void;
  close(): void;
}

export function openWalk(): Walk {
  const deliveries$ = new Subject<Delivery>();
  const lost$ = new Subject<InPartition>();
  const walking = deliveries$.pipe(topology(lost$)).subscribe();
  return {
    take: (passage) =>
      new Promise((done, failed) => {
        const { topic, partition } = passage.batch;
        deliveries$.next({ ...passage, topic, partition, done, failed });
      }),
    lose: (partition) => lost$.next(partition),
    close: () => walking.unsubscribe(),
  };
}

/**
 * The whole walk: records in, records out, each partition at its own pace.
 *
 *     events → by partition → decode → judge → encode → control topic
 *                                └──▶ dead letters
 *
 * A batch that fails is told to whoever waits for it; the stream goes on.
 */
function topology(lost$: Observable<InPartition>): OperatorFunction<Delivery, EncodedBatch> {
  return byPartition((partition$) => partition$.pipe(concatMap(deliver)), lost$);
}

function deliver({ batch, context, task, done, failed }: Delivery): Observable<EncodedBatch> {
  return of(batch).pipe(
    judged(context, task),
    map(encodeBatch(context, task)),
    concatMap(publishBatch(context, task)),
    tap({ complete: done }),
    catchError((error: unknown) => {
      failed(error);
      return EMPTY;
    }),
  );
}

/** The part of the walk that changes the fold and says nothing. */
function judged(context: Context, task: Task): OperatorFunction<Batch, JudgedBatch> {
  return (batches$) =>
    batches$.pipe(
      concatMap((batch) => readable(context, task, batch)),
      map(decodeBatch(context)),
      fold(() => task, judgeBatch(context)),
    );
}

/**
 * Folds what is read and publishes nothing: what brings a fold up to where others have published. Batch by batch,
 * so that a long log is never held in memory.
 */
export async function foldSilently(context: Context, task: Task, read: ReadOptions): Promise<void> {
  const silent$ = batches(
    (signal) => context.reader.read({ ...read, signal: AbortSignal.any([signal, task.signal]) }),
    (batch) => of(batch).pipe(judged(context, task)),
  );
  await lastValueFrom(silent$, { defaultValue: null });
  task.signal.throwIfAborted();
}
