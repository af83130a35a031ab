import { map, type Observable, toArray } from 'rxjs';
import { TestScheduler } from 'rxjs/testing';
import { describe, expect, it } from 'vitest';
import { byPartition, type InPartition } from './by-partition.ts';
import { fold } from './fold.ts';

const marbles = (): TestScheduler =>
  new TestScheduler((actual, expected) => {
    expect(actual).toEqual(expected);
  });

const items: Record<string, InPartition> = {
  a: { topic: 'events', partition: 0 },
  b: { topic: 'events', partition: 1 },
  c: { topic: 'control', partition: 0 },
};

/** How many items the partition has had, with its name. */
const counted = () =>
  fold(
    () => ({ count: 0 }),
    (state, { topic, partition }: InPartition) => {
      state.count += 1;
      return [`${topic}/${partition} ${state.count}`];
    },
  );

describe('byPartition', () => {
  it('gives every partition of every topic a pipeline and a state of its own', () => {
    marbles().run(({ cold, expectObservable }) => {
      const source$ = cold('a-b-a-c-b-|', items);
      const expected = '    u-v-w-x-y-|';
      const lost$ = cold<InPartition>('-');
      expectObservable(source$.pipe(byPartition((partition$) => partition$.pipe(counted()), lost$))).toBe(
        expected,
        {
          u: 'events/0 1',
          v: 'events/1 1',
          w: 'events/0 2',
          x: 'control/0 1',
          y: 'events/1 2',
        },
      );
    });
  });

  it('ends the pipeline of a lost partition, and begins anew when the partition comes back', () => {
    marbles().run(({ cold, hot, expectObservable }) => {
      const source$ = cold('a-b-a-----a---|', items);
      const lost$ = hot('   -------a-------', items);
      const expected = '    -------x------(yz|)';
      const pipeline = byPartition((partition$: Observable<InPartition>) => {
        return partition$.pipe(
          counted(),
          toArray(),
          map((counts) => counts.join(', ')),
        );
      }, lost$);
      expectObservable(source$.pipe(pipeline)).toBe(expected, {
        x: 'events/0 1, events/0 2',
        y: 'events/1 1',
        z: 'events/0 1',
      });
    });
  });
});
