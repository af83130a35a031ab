import { describe, expect, it } from 'vitest';
import { type Played, play, trace } from './play.ts';

/** Worlds of the unit tier; `npm run test:sim` plays more. */
const SEEDS = 2_000;
const AT_ONCE = 100;

/** One seed to play and to tell, instead of all. */
const only = process.env.LOOPWARDEN_SIM_SEED;
const shares = Array.from({ length: SEEDS / AT_ONCE }, (_, at) =>
  Array.from({ length: AT_ONCE }, (_one, index) => 1 + at * AT_ONCE + index),
);

/** What is wrong with a seed, how it came, and how to see it again. */
function report({ seed, wrongs, trace: lines }: Played): string {
  const again = `LOOPWARDEN_SIM_SEED=${seed} npx vitest run --project unit test/simulation/simulation.spec.ts`;
  return [`Seed ${seed} fails:`, ...wrongs, '', ...lines, '', `Again: ${again}`].join('\n');
}

describe('whatever befalls the detectors, nobody notices', () => {
  it.each(only === undefined ? shares : [[Number(only)]])(
    'seed %i and those after it',
    { timeout: 120_000 },
    async (...seeds) => {
      for (const seed of seeds) {
        const played = await play(seed);
        if (played.wrongs.length > 0) expect.fail(report(played));
        if (only !== undefined) console.log((await trace(seed)).trace.join('\n'));
      }
    },
  );
});

it('plays a seed again to the letter', { timeout: 60_000 }, async () => {
  for (const seed of [1, 2, 3, 5, 8, 13]) {
    const [first, second] = [await trace(seed), await trace(seed)];
    expect(first.trace.length).toBeGreaterThan(20);
    expect(second).toEqual(first);
  }
});

it.each([
  [/ by state .* lineage 0$/, 60],
  [/ by events from 0 to [1-9].* lineage 0$/, 20],
  [/ by events from [1-9].* lineage 18/, 5],
  [/ by state .* lineage 18/, 1],
  [/of format 2, goes on from format 2/, 60],
  [/of format 3, goes on from format 2/, 10],
  [/of format 3, goes on from format 3/, 10],
  [/ lost events /, 1],
  [/because the (state|commit) is of engine /, 3],
  [/ did not answer/, 50],
  [/ crashes$/, 50],
  [/ is expelled$/, 30],
  [/ thaws$/, 15],
  [/ is damaged: /, 20],
  [/ again$/, 50],
  [/ tool_result .* vetoed$/, 30],
  [/^ {2}late.* attach$/, 50],
] as const)('plays worlds in which this happens: %s', { timeout: 60_000 }, async (what, often) => {
  const lines = (await traces()).filter((line) => what.test(line));
  expect(lines.length).toBeGreaterThanOrEqual(often);
});

let told: Promise<readonly string[]> | undefined;

/** The traces of some worlds. */
function traces(): Promise<readonly string[]> {
  told ??= (async () => {
    const lines: string[] = [];
    for (let seed = 1; seed <= 150; seed += 1) lines.push(...(await trace(seed)).trace);
    return lines;
  })();
  return told;
}
