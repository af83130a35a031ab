import type { Verdict } from '@loopwarden/detection';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Comparison } from './comparison.ts';

/** A verdict of which only the id matters here; its bytes stand in for the body. */
function entry(offset: number, sequence = offset, body = 'as it is') {
  const verdict = { runId: 'run', epoch: 1, sequence } as Verdict;
  return { verdict, value: Buffer.from(body), offset, position: offset, publishedAt: 0 };
}

function comparing(judged = 1_000) {
  const told: string[] = [];
  const comparison = new Comparison(
    ({ state, recomputed, published }) =>
      void told.push(`${state} ${(recomputed ?? published).verdict.sequence}`),
    { judged },
  );
  return { comparison, told };
}

it('finds a verdict equal whichever side says it first', () => {
  const { comparison, told } = comparing();
  comparison.recomputed(entry(1));
  comparison.published(entry(1));
  comparison.published(entry(2));
  comparison.recomputed(entry(2));
  expect(told).toEqual(['equal 1', 'equal 2']);
});

it('says what has no counterpart once both sides have said all, and not before', () => {
  const { comparison, told } = comparing();
  comparison.recomputed(entry(1));
  comparison.published(entry(2));
  comparison.published(entry(9));
  expect(told).toEqual([]);
  comparison.settle(9);
  expect(told).toEqual(['missing 1', 'unexpected 2']);
});

it('takes a verdict on an event that nobody judged yet for pending', () => {
  const { comparison, told } = comparing(4);
  comparison.recomputed(entry(5));
  comparison.settle(6);
  expect(told).toEqual(['pending 5']);
});

it('tells when a verdict is said again in other words', () => {
  const { comparison, told } = comparing();
  comparison.recomputed(entry(1));
  comparison.published(entry(1));
  comparison.published(entry(1, 1, 'otherwise'));
  expect(told).toEqual(['equal 1', 'different 1']);
  expect(comparison.repeated).toBe(1);
});

/** What was published, cut anywhere and said again from some point, as crashes do. */
const published = fc
  .record({
    count: fc.integer({ min: 1, max: 40 }),
    crashes: fc.array(fc.tuple(fc.nat(39), fc.nat(10)), { maxLength: 4 }),
  })
  .map(({ count, crashes }) => {
    const all = Array.from({ length: count }, (_, at) => at);
    return crashes.reduce<number[]>((said, [at, back]) => {
      const place = said.lastIndexOf(Math.min(at, count - 1));
      return [
        ...said.slice(0, place + 1),
        ...said.slice(Math.max(0, place - back), place + 1),
        ...said.slice(place + 1),
      ];
    }, all);
  });

it('crashes change nothing but the number of repetitions, wherever the comparison settles', () => {
  fc.assert(
    fc.property(published, fc.integer({ min: 1, max: 7 }), (said, step) => {
      const { comparison, told } = comparing();
      const count = Math.max(...said) + 1;
      let heard = 0;
      for (let from = 0; from < count; from += step) {
        const until = Math.min(count, from + step);
        for (let offset = from; offset < until; offset += 1) comparison.recomputed(entry(offset));
        let reached = -1;
        while (heard < said.length && reached < until) {
          reached = Math.max(reached, said[heard] ?? 0);
          comparison.published(entry(said[heard] ?? 0));
          heard += 1;
        }
        comparison.settle(until);
      }
      for (; heard < said.length; heard += 1) comparison.published(entry(said[heard] ?? 0));
      expect(told).toEqual(Array.from({ length: count }, () => expect.stringMatching(/^equal/)));
      expect(comparison.repeated).toBe(said.length - count);
    }),
  );
});
