import { afterEach, beforeEach, expect, it } from 'vitest';
import { Rig } from '../../../test/gateway/rig.ts';
import type { Run } from './run.ts';

const CALL = { tool: 'read', args: { path: '/a' } };
let rig: Rig;

beforeEach(() => {
  rig = new Rig();
});
afterEach(() => rig.close());

/** One call of the loop; its action. */
async function turn(run: Run, callId: string): Promise<string> {
  const { action } = await run.beforeCall({ ...CALL, callId });
  if (action === 'allow' || action === 'warn') run.afterCall({ ...CALL, callId, result: 'same' });
  await rig.round();
  return action;
}

function types(): string[] {
  return rig.judging.events().map(({ type }) => type);
}

it('two gateways of one process and one id are two sources: neither takes the other for a repetition', async () => {
  const options = { gatewayId: 'same', startId: undefined } as never;
  const [one, two] = [await rig.connect(options), await rig.connect(options)];
  const runs = [one, two].map(({ gateway }) => gateway.run({ runId: 'r' }));
  const actions: string[] = [];
  for (let index = 0; index < 6; index += 1) {
    for (const [at, run] of runs.entries()) actions.push(await turn(run, `c${index}-${at}`));
  }
  const events = rig.judging.events();
  expect(new Set(events.map(({ source }) => source)).size).toBe(2);
  expect(actions.slice(0, 5)).not.toContain('block');
  expect(actions.slice(5)).toEqual(Array(7).fill('block'));
  expect(actions.filter((action) => action === 'warn')).toHaveLength(1);
});

it('a run that is served twice here is one run: it is told anew, numbered on, and judged as one', async () => {
  const { gateway } = await rig.connect();
  const actions: string[] = [];
  for (let index = 1; index <= 6; index += 1)
    actions.push(await turn(gateway.run({ runId: 'r' }), `c${index}`));
  expect(actions).toEqual(['allow', 'allow', 'allow', 'warn', 'allow', 'block']);
  const events = rig.judging.events();
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
});

it('outcomes of calls that nobody asked about count as they would have', async () => {
  const { gateway } = await rig.connect();
  const run = gateway.run({ runId: 'r' });
  for (let index = 1; index <= 5; index += 1) {
    run.afterCall({ ...CALL, callId: `c${index}`, result: 'same' });
    await rig.round();
  }
  expect((await run.beforeCall(CALL)).action).toBe('block');
});

it('a compaction in the midst of a call leaves the call its result', async () => {
  const { gateway } = await rig.connect();
  const run = gateway.run({ runId: 'r' });
  await run.beforeCall({ ...CALL, callId: 'c1' });
  run.compacted();
  run.afterCall({ callId: 'c1', tool: 'read', result: 'late' });
  await rig.settle();
  const [, call, , result] = rig.judging.events();
  expect(types()).toEqual(['attach', 'tool_call', 'compaction', 'tool_result']);
  expect(result).toMatchObject({ callId: 'c1', args: (call as { args?: unknown }).args });
});

it('calls after the end begin the run anew, and owe nothing to what was', async () => {
  const { gateway } = await rig.connect();
  const run = gateway.run({ runId: 'r' });
  for (let index = 1; index <= 5; index += 1) await turn(run, `c${index}`);
  run.end('completed');
  run.end('failed');
  await rig.round();
  expect(await turn(run, 'd1')).toBe('allow');
  expect(types().slice(-4)).toEqual(['run_end', 'attach', 'tool_call', 'tool_result']);
});

it('a result that comes after the end is told, and opens nothing', async () => {
  const { gateway } = await rig.connect();
  const run = gateway.run({ runId: 'r' });
  await run.beforeCall({ ...CALL, callId: 'c1' });
  run.end('completed');
  run.afterCall({ ...CALL, callId: 'c1', result: 'late' });
  await rig.round();
  expect(types()).toEqual(['attach', 'tool_call', 'run_end', 'tool_result']);
});

it('what stands of a run that was forgotten for want of room is asked for when it comes back', async () => {
  const { gateway, told } = await rig.connect({ maxRuns: 1 });
  const first = gateway.run({ runId: 'first' });
  for (let index = 1; index <= 5; index += 1) await turn(first, `c${index}`);
  await turn(gateway.run({ runId: 'second' }), 'd1');
  expect(gateway.stats().runs).toBe(1);
  expect(await turn(first, 'c6')).toBe('allow');
  expect(await turn(first, 'c7')).toBe('block');
  expect(told('attached').map(({ runId }) => runId)).toEqual(['first', 'second', 'first']);
});
