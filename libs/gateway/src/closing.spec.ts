import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Rig } from '../../../test/gateway/rig.ts';
import type { Run } from './run.ts';

const CALL = { tool: 'read', args: { path: '/a' } };

/** The log does not answer appends, ever. */
let hung: boolean;
let rig: Rig;

beforeEach(() => {
  hung = false;
  const never = new Promise(() => {});
  rig = new Rig({ faults: ({ kind }) => (kind === 'append' && hung ? { until: never } : undefined) });
});
afterEach(() => rig.close());

describe.each([
  { onDeadline: 'open' as const, action: 'allow' },
  { onDeadline: 'closed' as const, action: 'block' },
])('decisions that wait when the gateway closes', ({ onDeadline, action }) => {
  it(`are made at once, as at the deadline: ${onDeadline} answers ${action}`, async () => {
    const { gateway, told } = await rig.connect({ strict: { deadlineMs: 60_000, onDeadline } });
    const run = gateway.run({ runId: 'r' });
    const asked = ['c1', 'c2', 'c3'].map((callId) => run.beforeCall({ ...CALL, callId }));
    await rig.settle();
    await gateway.close();
    expect((await Promise.all(asked)).map((answer) => answer.action)).toEqual([action, action, action]);
    expect(told('undecided')).toHaveLength(3);
    expect(told('dropped')).toEqual([]);
    const types = rig.judging.events().map(({ type }) => type);
    expect(types).toEqual(['attach', ...Array(3).fill(onDeadline === 'open' ? 'tool_call' : 'tool_result')]);
  });
});

it('decisions of several runs that wait on a log that hangs do not keep each other busy', async () => {
  hung = true;
  const { gateway } = await rig.connect({ strict: { deadlineMs: 60_000, onDeadline: 'open' } });
  const asked = ['one', 'two'].map((runId) => gateway.run({ runId }).beforeCall(CALL));
  await rig.settle();
  const closed = gateway.close({ withinMs: 500 });
  await rig.settle();
  rig.clock.advance(500);
  await closed;
  expect((await Promise.all(asked)).map(({ action }) => action)).toEqual(['allow', 'allow']);
});

it('a tool that runs while the gateway closes keeps its result', async () => {
  const { gateway, told } = await rig.connect();
  const run = gateway.run({ runId: 'r' });
  const guarded = run.guard('build', {}, async () => {
    await gateway.close();
    return 'built';
  });
  expect(await guarded).toEqual({ ran: true, result: 'built', warning: null });
  expect(told('dropped')).toEqual([{ kind: 'dropped', runId: 'r', type: 'tool_result', why: 'closed' }]);
});

it('what is told after the close is told as lost, and throws nothing', async () => {
  const { gateway, told } = await rig.connect();
  const run = gateway.run({ runId: 'r' });
  await gateway.close();
  run.afterCall({ ...CALL, result: 1 });
  run.compacted();
  run.end('completed');
  expect(run.signal.aborted).toBe(false);
  await run.written();
  expect(told('dropped').map(({ type, why }) => [type, why])).toEqual([
    ['tool_result', 'closed'],
    ['compaction', 'closed'],
    ['run_end', 'closed'],
  ]);
  await expect(run.beforeCall(CALL)).rejects.toMatchObject({ code: 'closed' });
  expect(() => gateway.run({ runId: 's' })).toThrow(expect.objectContaining({ code: 'closed' }));
});

describe('an append that hangs for ever', () => {
  let run: Run;

  it('is told after a minute, holds up no call, and is bounded like any other trouble', async () => {
    hung = true;
    const { gateway, told } = await rig.connect({ buffer: { records: 10 } });
    run = gateway.run({ runId: 'r' });
    for (let index = 0; index < 30; index += 1) {
      expect((await run.beforeCall(CALL)).action).toBe('allow');
      await rig.settle(1);
    }
    expect(gateway.stats()).toMatchObject({ reachable: true, held: { records: 10 } });
    rig.clock.advance(60_000);
    expect(told('unreachable')).toMatchObject([{ detail: expect.stringContaining('60 s') }]);
    expect(gateway.stats()).toMatchObject({ reachable: false });
  });

  it('is waited for by close and written only so long', async () => {
    hung = true;
    const { gateway } = await rig.connect();
    run = gateway.run({ runId: 'r' });
    await run.beforeCall(CALL);
    const written = run.written();
    await rig.settle();
    const closed = gateway.close({ withinMs: 500 });
    await rig.settle();
    rig.clock.advance(500);
    await Promise.all([closed, written]);
  });
});

it('a gateway can be closed twice', async () => {
  const { gateway } = await rig.connect();
  await gateway.run({ runId: 'r' }).beforeCall(CALL);
  await Promise.all([gateway.close(), gateway.close()]);
  await gateway.close();
  expect(rig.judging.events()).toHaveLength(2);
});
