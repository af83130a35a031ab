import { expect, it } from 'vitest';
import { MISTAKES } from './mistakes.ts';
import { play } from './play.ts';

/** A mistake that this many worlds do not show is one that the simulation cannot see. */
const SEEDS_MAX = 200;

it.each(MISTAKES)('a detector that $name is found out', { timeout: 120_000 }, async ({ mistake, says }) => {
  const said: string[] = [];
  for (let seed = 1; seed <= SEEDS_MAX && !said.some((wrong) => says.test(wrong)); seed += 1)
    said.push(...(await play(seed, mistake)).wrongs);
  expect(said.join('\n')).toMatch(says);
});
