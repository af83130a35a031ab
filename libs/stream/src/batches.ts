import { defer, EMPTY, finalize, mergeMap, type Observable, type ObservableInput, of, repeat } from 'rxjs';
import type { Batch } from './record.ts';

/**
 * A read as a stream, with back-pressure: the next batch is read when what `pipeline` made of the last one
 * has completed. Unsubscribing aborts the read.
 *
 * @example
 * batches((signal) => log.reader.read({ topic, partition, from: 'end', until: 'never', signal }), (batch) =>
 *   from(batch.records).pipe(map(decode)),
 * );
 */
export function batches<R>(
  read: (signal: AbortSignal) => AsyncIterable<Batch>,
  pipeline: (batch: Batch) => ObservableInput<R>,
): Observable<R> {
  return defer(() => {
    const stop = new AbortController();
    const iterator = read(stop.signal)[Symbol.asyncIterator]();
    let ended = false;
    return defer(() => iterator.next()).pipe(
      mergeMap((next) => {
        ended = next.done === true;
        return next.done === true ? EMPTY : pipeline(next.value);
      }),
      repeat({ delay: () => (ended ? EMPTY : of(true)) }),
      finalize(() => stop.abort()),
    );
  });
}
