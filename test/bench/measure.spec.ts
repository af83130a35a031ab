import { describe, expect, it } from 'vitest';
import { measure, median, perSecond } from './measure.ts';

const counting = (from: number, step: number) => {
  let next = from - step;
  return () => {
    next += step;
    return next;
  };
};

describe('median', () => {
  it('is the middle value, in whatever order they come', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([7])).toBe(7);
  });

  it('is the mean of the two middle values of an even number', () => {
    expect(median([4, 1, 3, 2])).toBe(2.5);
  });

  it('refuses to answer for no values', () => {
    expect(() => median([])).toThrow(RangeError);
  });
});

describe('measure', () => {
  it('leaves the warm-up out and takes the median of five', async () => {
    const taken = await measure({ name: 'codec', unit: 'ms', sample: counting(100, 10) });
    expect(taken).toEqual({ name: 'codec', value: 130, unit: 'ms', baseline: null, ratio: null, runs: 5 });
  });

  it('compares with a baseline that took turns with the value', async () => {
    const order: string[] = [];
    const named = (name: string, value: number) => () => {
      order.push(name);
      return value;
    };
    const taken = await measure({
      name: 'codec',
      unit: '1/s',
      sample: named('value', 30),
      baseline: named('baseline', 40),
      runs: 6,
    });
    expect(taken).toMatchObject({ value: 30, baseline: 40, ratio: 0.75, runs: 6 });
    expect(order.join(' ')).toBe(Array.from({ length: 7 }, () => 'baseline value').join(' '));
  });

  it('refuses fewer than five runs', async () => {
    await expect(measure({ name: 'codec', unit: 'ms', sample: () => 1, runs: 4 })).rejects.toThrow(
      RangeError,
    );
  });
});

it('counts work per second, waiting for it to end', async () => {
  const rate = await perSecond(10, () => new Promise((resolve) => setTimeout(resolve, 5)));
  expect(rate).toBeGreaterThan(0);
  expect(rate).toBeLessThanOrEqual(2_500);
});
