import { expect, it } from 'vitest';
import { digestOf, given } from '../../../test/given.ts';
import { explainRun } from './explain-run.ts';

it('a run is told as it is: window, levels, guard and what stands', () => {
  const world = given();
  for (let turn = 0; turn < 3; turn += 1) world.turn('same');
  world.call({ callId: 'c1' });
  world.compaction();
  expect(explainRun(world.partition, 'run')).toMatchObject({
    agentId: 'agent',
    window: [
      { tool: 'read', args: digestOf('a'), outcome: `result:${digestOf('same')}` },
      { tool: 'read', args: digestOf('a'), outcome: `result:${digestOf('same')}` },
      { tool: 'read', args: digestOf('a'), outcome: `result:${digestOf('same')}` },
      { tool: 'read', args: digestOf('a'), callId: 'c1', outcome: null },
    ],
    levels: [{ warning: 1, level: 0 }],
    guarded: 2,
    standing: [{ action: 'warn', count: 4, detector: 'generic_repeat', shadow: false }],
  });
});

it('what was told does not change with the run, and of an unknown run there is nothing to tell', () => {
  const world = given();
  world.call();
  const before = explainRun(world.partition, 'run');
  world.result('x');
  expect(before?.window).toMatchObject([{ outcome: null }]);
  expect(explainRun(world.partition, 'nobody')).toBeNull();
});
