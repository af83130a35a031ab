import { expect, it } from 'vitest';
import { Lineages } from './lineages.ts';

function lineages(...begun: [lineage: number, from: number][]): Lineages {
  const known = new Lineages();
  known.hear(7);
  for (const [lineage, from] of begun) known.begin({ lineage, from });
  return known;
}

it('the lineage that is heard first judged everything until another begins', () => {
  const known = lineages([9, 100]);
  expect([0, 99, 100, 5_000].map((offset) => known.inCharge(offset))).toEqual([7, 7, 9, 9]);
});

it('events that two lineages judged belong to the newer one', () => {
  const known = lineages([9, 100], [12, 80]);
  expect([79, 80, 100].map((offset) => known.inCharge(offset))).toEqual([7, 12, 12]);
  expect(known.nextAfter(0)).toEqual({ lineage: 12, from: 80 });
  expect(known.nextAfter(80)).toBeNull();
});

it('a zombie begins nothing, and only the first word on a beginning counts', () => {
  const known = lineages([9, 100], [8, 300], [9, 400]);
  expect(known.inCharge(500)).toBe(9);
  expect(known.startOf(9)).toBe(100);
});
