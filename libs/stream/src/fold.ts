import { concatMap, defer, type OperatorFunction } from 'rxjs';

/**
 * Lifts a step into a stream: what the step makes of an item and the state so far is emitted, in order,
 * before the next item is looked at. `open` makes the state, once per subscription; the step may change it
 * in place. An exception of the step ends the stream: the state is then as good as lost.
 */
export function fold<S, T, R>(
  open: () => S,
  step: (state: S, item: T) => Iterable<R>,
): OperatorFunction<T, R> {
  return (source$) =>
    defer(() => {
      const state = open();
      return source$.pipe(concatMap((item) => step(state, item)));
    });
}
