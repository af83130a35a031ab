import { describe, expect, it } from 'vitest';
import { type Played, play, trace } from './play.ts';

/** Worlds of the unit tier; `npm run test:sim` plays more. */
const SEEDS = 2_000;
const AT_ONCE = 100;

/** What is wrong with a seed, how it came, and how to see it again. */
function report({ seed, wrongs, trace: lines }: Played): string {
  const again = `LOOPWARDEN_SIM_SEED=${seed} npx vitest run --project unit test/simulation/simulation.spec.ts`;
  return [`Seed ${seed} fails:`, ...wrongs, '', ...lines, '', `Again: ${again}`].join('\n');
}

const only = process.env.LOOPWARDEN_SIM_SEED;

describe.skipIf(only !== undefined)('whatever befalls the detectors, nobody notices', () => {
  const firsts = Array.from({ length: SEEDS / AT_ONCE }, (_, at) => 1 + at * AT_ONCE);

  it.each(firsts)(`seeds %i and the ${AT_ONCE - 1} after it`, { timeout: 120_000 }, async (first) => {
    for (let seed = first; seed < first + AT_ONCE; seed += 1) {
      const played = await play(seed);
      if (played.wrongs.length > 0) expect.fail(report(played));
    }
  });
});

it('plays a seed again to the letter', { timeout: 60_000 }, async () => {
  for (const seed of [1, 2, 3, 5, 8, 13]) {
    const [first, second] = [await trace(seed), await trace(seed)];
    expect(first.trace.length).toBeGreaterThan(20);
    expect(second).toEqual(first);
  }
});

it('holds worlds in which everything happens that it promises', { timeout: 120_000 }, async () => {
  const lines: string[] = [];
  for (let seed = 1; seed <= 150; seed += 1) lines.push(...(await trace(seed)).trace);
  const often = (what: RegExp): number => lines.filter((line) => what.test(line)).length;
  expect(often(/ by state .* lineage 0$/)).toBeGreaterThan(30);
  expect(often(/ by state .* lineage 18/)).toBeGreaterThan(3);
  expect(often(/ by events from [1-9].* lineage 18/)).toBeGreaterThan(10);
  expect(often(/did not answer/)).toBeGreaterThan(50);
  expect(often(/ crashes$/)).toBeGreaterThan(100);
  expect(often(/ is expelled$/)).toBeGreaterThan(50);
  expect(often(/ thaws$/)).toBeGreaterThan(50);
  expect(often(/ is damaged: /)).toBeGreaterThan(50);
  expect(often(/ trimmed to [1-9]/)).toBeGreaterThan(10);
  expect(often(/ again$/)).toBeGreaterThan(100);
  expect(often(/tool_result .* vetoed$/)).toBeGreaterThan(50);
  expect(often(/^ {2}late.* attach$/)).toBeGreaterThan(50);
});

it.runIf(only !== undefined)(`seed ${only}`, { timeout: 120_000 }, async () => {
  const played = await trace(Number(only));
  console.log(played.trace.join('\n'));
  if (played.wrongs.length > 0) expect.fail(report(played));
});
