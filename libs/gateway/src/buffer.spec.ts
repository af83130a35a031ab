import type { Operation } from '@loopwarden/stream/memory';
import { afterEach, expect, it } from 'vitest';
import { Rig } from '../../../test/gateway/rig.ts';

let fail: 'before' | 'midway' | 'after' | undefined;
let rig = opened();

function opened(): Rig {
  fail = undefined;
  return new Rig({ faults: ({ kind }: Operation) => (kind === 'append' && fail ? { fail } : undefined) });
}

afterEach(async () => {
  fail = undefined;
  await rig.close();
  rig = opened();
});

async function later(): Promise<void> {
  for (let index = 0; index < 10; index += 1) {
    rig.clock.advance(2_000);
    await rig.settle();
  }
}

it.each(['before', 'midway', 'after'] as const)(
  'keeps events in order while appends fail %s',
  async (how) => {
    const { gateway, told } = await rig.connect();
    const run = gateway.run({ runId: 'r' });
    fail = how;
    for (let index = 1; index <= 5; index += 1) await run.beforeCall({ callId: `c${index}`, tool: 'read' });
    await rig.settle();
    expect(told('unreachable')).toHaveLength(1);
    expect(gateway.stats()).toMatchObject({ reachable: false, held: { records: 6 } });
    fail = undefined;
    await later();
    const numbers = rig.judging.events().map(({ sequence }) => sequence);
    expect([...new Set(numbers)]).toEqual([1, 2, 3, 4, 5, 6]);
    expect(numbers.slice(-6)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(told('reachable')).toHaveLength(1);
    expect(gateway.stats()).toMatchObject({ reachable: true, held: { records: 0, bytes: 0 } });
  },
);

it('drops the oldest beyond the bound; the numbers show what is missing, and the run is told anew', async () => {
  const { gateway, told } = await rig.connect({ buffer: { records: 3 } });
  const run = gateway.run({ runId: 'r' });
  fail = 'before';
  for (let index = 1; index <= 5; index += 1) {
    expect((await run.beforeCall({ callId: `c${index}`, tool: 'read' })).action).toBe('allow');
    await rig.settle();
  }
  fail = undefined;
  await later();
  const numbers = rig.judging.events().map(({ sequence }) => sequence);
  const lost = told('dropped').length;
  expect(numbers).toHaveLength(3);
  expect(numbers.at(-1)).toBe(lost + 3);
  expect(gateway.stats().dropped.buffer).toBe(lost);
  expect(told('attached').map(({ why }) => why)).toContain('dropped');
});

it('refuses calls that cannot be recorded where it was told to, and never blocks', async () => {
  const { gateway } = await rig.connect({ buffer: { records: 2, onFull: 'refuse' } });
  const run = gateway.run({ runId: 'r' });
  fail = 'before';
  expect((await run.beforeCall({ callId: 'c1', tool: 'read' })).action).toBe('allow');
  const refused = await run.beforeCall({ callId: 'c2', tool: 'read' });
  expect(refused).toMatchObject({
    action: 'block',
    verdict: null,
    reason: expect.stringContaining('recorded'),
  });
  fail = undefined;
  await later();
  expect((await run.beforeCall({ callId: 'c3', tool: 'read' })).action).toBe('allow');
  await rig.settle();
  expect(rig.judging.events().map(({ sequence, type }) => [sequence, type])).toEqual([
    [1, 'attach'],
    [2, 'tool_call'],
    [4, 'attach'],
    [5, 'tool_call'],
  ]);
});

it('an event that no record can hold is told as lost and spoils nothing', async () => {
  const { gateway, told } = await rig.connect();
  const run = gateway.run({ runId: 'r' });
  await run.beforeCall({ callId: 'x'.repeat(1_100_000), tool: 'read' });
  await run.beforeCall({ callId: 'c2', tool: 'read' });
  await rig.settle();
  expect(told('dropped')).toMatchObject([{ why: 'too_large', type: 'tool_call' }]);
  expect(rig.judging.events().map(({ sequence }) => sequence)).toEqual([1, 3, 4]);
});

it('says at close what could not be sent any more', async () => {
  const { gateway, told } = await rig.connect();
  fail = 'before';
  await gateway.run({ runId: 'r' }).beforeCall({ tool: 'read' });
  await rig.settle();
  const closed = gateway.close({ withinMs: 500 });
  rig.clock.advance(500);
  await closed;
  expect(told('dropped').map(({ why, type }) => [why, type])).toEqual([
    ['closed', 'attach'],
    ['closed', 'tool_call'],
  ]);
});

it('an observer that throws stops nothing', async () => {
  const { gateway } = await rig.connect({
    observer: () => {
      throw new Error('watching failed');
    },
  });
  expect((await gateway.run({ runId: 'r' }).beforeCall({ tool: 'read' })).action).toBe('allow');
});
