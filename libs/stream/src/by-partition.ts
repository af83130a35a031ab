import {
  filter,
  type GroupedObservable,
  groupBy,
  mergeMap,
  type Observable,
  type ObservableInput,
  type OperatorFunction,
} from 'rxjs';

/** Anything that stands in a partition: a record, a batch, an assignment. */
export interface InPartition {
  readonly topic: string;
  readonly partition: number;
}

/**
 * Gives every partition a pipeline of its own, side by side with the others'; order holds within each. A
 * partition that `lost$` names ends: its pipeline completes, and begins anew with the next item of the
 * partition. Runs never get a stream of their own: their states live in a map within the pipeline.
 */
export function byPartition<T extends InPartition, R>(
  pipeline: (partition$: GroupedObservable<string, T>) => ObservableInput<R>,
  lost$: Observable<InPartition>,
): OperatorFunction<T, R> {
  return (source$) =>
    source$.pipe(
      groupBy((item: T) => nameOf(item), {
        duration: ({ key }) => lost$.pipe(filter((lost) => nameOf(lost) === key)),
      }),
      mergeMap(pipeline),
    );
}

function nameOf({ topic, partition }: InPartition): string {
  return `${topic}/${partition}`;
}
