import { TestScheduler } from 'rxjs/testing';
import { describe, expect, it } from 'vitest';
import { fold } from './fold.ts';

const marbles = (): TestScheduler =>
  new TestScheduler((actual, expected) => {
    expect(actual).toEqual(expected);
  });

/** Tells every second item, with its number, twice. */
const everySecond = () =>
  fold(
    () => ({ count: 0 }),
    (state, item: string) => {
      state.count += 1;
      return state.count % 2 === 0 ? [`${item}${state.count}`, 'again'] : [];
    },
  );

describe('fold', () => {
  it('emits what the step makes of each item, in order, and keeps the state between items', () => {
    marbles().run(({ cold, expectObservable, expectSubscriptions }) => {
      const source$ = cold('  a-b-----c-d-----|');
      const expected = '      --(xy)----(zy)--|';
      const subscription = '  ^---------------!';
      expectObservable(source$.pipe(everySecond())).toBe(expected, { x: 'b2', y: 'again', z: 'd4' });
      expectSubscriptions(source$.subscriptions).toBe(subscription);
    });
  });

  it('begins with a state of its own for every subscriber', () => {
    marbles().run(({ cold, expectObservable }) => {
      const folded$ = cold('  ab---|').pipe(everySecond());
      expectObservable(folded$).toBe('-(xy)|', { x: 'b2', y: 'again' });
      expectObservable(folded$).toBe('-(xy)|', { x: 'b2', y: 'again' });
    });
  });

  it('is over when the source is: empty, failed, unsubscribed', () => {
    marbles().run(({ cold, expectObservable, expectSubscriptions }) => {
      expectObservable(cold('  |').pipe(everySecond())).toBe('  |');
      expectObservable(cold('  a-#').pipe(everySecond())).toBe('--#');
      const endless$ = cold('  a-b---a-b---');
      const unsubscribed = '   -----!';
      expectObservable(endless$.pipe(everySecond()), unsubscribed).toBe('--(xy)', { x: 'b2', y: 'again' });
      expectSubscriptions(endless$.subscriptions).toBe('^----!');
    });
  });

  it('ends with the exception of its step', () => {
    marbles().run(({ cold, expectObservable, expectSubscriptions }) => {
      const source$ = cold('a-b-c|');
      const failing = fold(
        () => 0,
        (_, item: string) => {
          if (item === 'b') throw 'broken';
          return [item];
        },
      );
      expectObservable(source$.pipe(failing)).toBe('a-#', undefined, 'broken');
      expectSubscriptions(source$.subscriptions).toBe('^-!');
    });
  });
});
