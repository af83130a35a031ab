import { expect, it } from 'vitest';
import { table } from './table.ts';

it('aligns measures of all sizes under their headings', () => {
  const text = table([
    { name: 'codec decode', value: 1_234_567.8, unit: '1/s', baseline: 2_000_000, ratio: 0.617283, runs: 5 },
    { name: 'log append', value: 0.012345, unit: 'ms', baseline: null, ratio: null, runs: 11 },
  ]);
  expect(text.split('\n')).toEqual([
    'measure           value  unit   baseline  ratio  runs',
    'codec decode  1,234,568  1/s   2,000,000  0.617     5',
    'log append       0.0123  ms            -      -    11',
  ]);
});
