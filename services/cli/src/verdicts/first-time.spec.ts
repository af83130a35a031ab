import { expect, it } from 'vitest';
import { FirstTime } from './first-time.ts';

const at = (runId: string, epoch: number, sequence: number) => ({ runId, epoch, sequence }) as never;

it('a verdict is heard once, however often it is said', () => {
  const firstTime = new FirstTime();
  const said = [
    at('a', 1, 1),
    at('a', 1, 2),
    at('a', 1, 1),
    at('b', 1, 1),
    at('a', 1, 2),
    at('a', 2, 1),
    at('a', 1, 3),
  ];
  expect(said.map((verdict) => firstTime.isFirst(verdict))).toEqual([
    true,
    true,
    false,
    true,
    false,
    true,
    false,
  ]);
});

it('remembers a bounded number of runs, the latest ones', () => {
  const firstTime = new FirstTime();
  for (let run = 0; run <= 10_000; run += 1) firstTime.isFirst(at(`run-${run}`, 1, 1));
  expect(firstTime.isFirst(at('run-10000', 1, 1))).toBe(false);
  expect(firstTime.isFirst(at('run-0', 1, 1))).toBe(true);
});
