import { afterEach, expect, it } from 'vitest';
import { Rig } from '../../../test/gateway/rig.ts';
import type { Answer } from './answer.ts';
import type { Run } from './run.ts';

let rig = new Rig();

afterEach(async () => {
  await rig.close();
  rig = new Rig();
});

/** One call of the same tool with the same arguments and, if it may run, the same result. */
async function turn(run: Run, callId: string, tool = 'read'): Promise<Answer> {
  const call = { callId, tool, args: { path: '/a' } };
  const answer = await run.beforeCall(call);
  if (answer.action === 'allow' || answer.action === 'warn') {
    run.afterCall({ ...call, result: 'same', durationMs: 3 });
  }
  await rig.round();
  return answer;
}

async function turns(run: Run, count: number): Promise<string[]> {
  const actions: string[] = [];
  for (let index = 1; index <= count; index += 1) actions.push((await turn(run, `c${index}`)).action);
  return actions;
}

it('warns at the threshold, once, and refuses from the call after the block on', async () => {
  const { gateway, told } = await rig.connect();
  const run = gateway.run({ runId: 'r', agentId: 'a', sessionId: 's' });
  expect(await turns(run, 7)).toEqual(['allow', 'allow', 'allow', 'warn', 'allow', 'block', 'block']);
  expect(gateway.stats()).toMatchObject({ vetoes: 2, warnings: 1, late: 0, undecided: 0 });
  expect(told('vetoed')[0]).toMatchObject({ runId: 'r', agentId: 'a', callId: 'c6', tool: 'read' });
});

it('hands the model a result with a reason, not an error', async () => {
  const { gateway } = await rig.connect();
  const run = gateway.run({ runId: 'r' });
  await turns(run, 5);
  const answer = await turn(run, 'c6');
  expect(answer).toMatchObject({
    action: 'block',
    result: {
      content: [{ type: 'text', text: expect.stringContaining('CRITICAL') }],
      details: {
        status: 'blocked',
        deniedReason: 'tool-loop',
        verdict: expect.stringMatching(/^r\/\d+\.\d+$/),
      },
    },
  });
});

it('tells calls, results, warnings handed out and vetoes as events, numbered without gaps', async () => {
  const { gateway } = await rig.connect();
  const run = gateway.run({ runId: 'r', agentId: 'a', sessionId: 's' });
  await turns(run, 6);
  run.compacted({ retry: false });
  run.end('completed');
  await rig.settle();
  const events = rig.judging.events();
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
  expect(events.map(({ type }) => type)).toEqual([
    'attach',
    ...Array.from({ length: 5 }, () => ['tool_call', 'tool_result']).flat(),
    'tool_result',
    'compaction',
    'run_end',
  ]);
  expect(
    events.every(
      ({ source, agentId, sessionId }) => source === 'gw-s1' && agentId === 'a' && sessionId === 's',
    ),
  ).toBe(true);
  const warned = events.filter((event) => event.type === 'tool_call' && event.delivered.length > 0);
  expect(warned).toMatchObject([{ callId: 'c4', delivered: [{ level: 1 }], seen: { sequence: 1 } }]);
  expect(events[11]).toMatchObject({
    outcome: 'vetoed',
    callId: 'c6',
    verdict: { sequence: 3 },
    digest: null,
  });
  expect(events[12]).toMatchObject({ type: 'compaction', retry: false });
});

it('tells the blocked result of a call that it did not refuse as the veto of another guard', async () => {
  const { gateway } = await rig.connect();
  const details = { status: 'blocked', deniedReason: 'tool-loop' };
  gateway
    .run({ runId: 'r' })
    .afterCall({ callId: 'c1', tool: 'read', args: {}, result: { content: [], details } });
  await rig.round();
  expect(rig.judging.events().at(-1)).toMatchObject({ outcome: 'vetoed', callId: 'c1', verdict: null });
});

it('does not tell the blocked result of a refused call a second time', async () => {
  const { gateway } = await rig.connect();
  const run = gateway.run({ runId: 'r' });
  await turns(run, 5);
  const answer = await turn(run, 'c6');
  if (answer.action !== 'block') throw new Error('was not refused');
  const before = rig.judging.events().length;
  run.afterCall({ callId: 'c6', tool: 'read', args: { path: '/a' }, result: answer.result });
  run.afterCall({ callId: null, tool: 'read', args: { path: '/a' }, result: answer.result });
  await rig.settle();
  expect(rig.judging.events()).toHaveLength(before);
});

it('tells the veto of another guard', async () => {
  const { gateway } = await rig.connect();
  const run = gateway.run({ runId: 'r' });
  await run.beforeCall({ callId: 'c1', tool: 'read' });
  const details = { status: 'blocked', deniedReason: 'tool-loop' };
  run.afterCall({ callId: 'c1', tool: 'read', result: { content: [], details } });
  await rig.settle();
  expect(rig.judging.events().at(-1)).toMatchObject({ outcome: 'vetoed', verdict: null });
});

it('counts calls that ran before the verdict came, with how late it was', async () => {
  const { gateway, told } = await rig.connect();
  const run = gateway.run({ runId: 'r' });
  await turns(run, 4);
  const call = { tool: 'read', args: { path: '/a' } };
  await run.beforeCall({ ...call, callId: 'c5' });
  run.afterCall({ ...call, callId: 'c5', result: 'same' });
  await run.beforeCall({ ...call, callId: 'c6' });
  await run.beforeCall({ callId: 'c7', tool: 'read', args: { path: '/other' } });
  rig.clock.advance(40);
  await rig.round();
  expect(told('late')).toMatchObject([
    { callId: 'c6', tool: 'read', lateMs: 40, verdict: { action: 'block' } },
  ]);
  expect(gateway.stats()).toMatchObject({ late: 1, lateness: { count: 1, sumMs: 40 } });
});

it('a gateway that joins late is told what stands', async () => {
  const first = await rig.connect();
  await turns(first.gateway.run({ runId: 'r' }), 6);
  const second = await rig.connect({ gatewayId: 'gw2' });
  const run = second.gateway.run({ runId: 'r' });
  await turn(run, 'd1', 'other');
  expect((await turn(run, 'd2')).action).toBe('block');
});

it('aborts the signal and refuses everything once the guard has fired, until the run begins anew', async () => {
  const { gateway, told } = await rig.connect();
  const run = gateway.run({ runId: 'r' });
  const { signal } = run;
  await turns(run, 2);
  run.compacted();
  await turns(run, 2);
  expect(signal.aborted).toBe(true);
  expect(signal.reason).toMatchObject({ name: 'AbortError', verdict: expect.stringContaining('r/') });
  expect(told('aborted')).toHaveLength(1);
  expect((await turn(run, 'x', 'anything')).action).toBe('abort');
  run.end('aborted');
  await rig.round();
  expect(rig.judging.events().at(-1)).toMatchObject({
    type: 'run_end',
    status: 'aborted',
    verdict: { sequence: 3 },
  });
  expect(run.signal.aborted).toBe(false);
  expect((await turn(run, 'y', 'anything')).action).toBe('allow');
  expect(
    rig.judging
      .events()
      .slice(-3)
      .map(({ type }) => type),
  ).toEqual(['attach', 'tool_call', 'tool_result']);
});

it('an operator lifts an abort, and the run has a signal to go on with', async () => {
  const { gateway } = await rig.connect();
  const run = gateway.run({ runId: 'r' });
  await turns(run, 2);
  run.compacted();
  await turns(run, 2);
  expect(run.signal.aborted).toBe(true);
  rig.judging.release('r', 0);
  await rig.round();
  expect(run.signal.aborted).toBe(false);
  expect((await turn(run, 'x')).action).toBe('allow');
});

it('guard runs what is allowed, tells the outcome, and gives the result to hand on', async () => {
  const { gateway } = await rig.connect();
  const run = gateway.run({ runId: 'r' });
  const went: unknown[] = [];
  for (let index = 0; index < 6; index += 1) {
    went.push(await run.guard('read', { path: '/a' }, () => 'same'));
    await rig.round();
  }
  expect(went).toMatchObject([
    { ran: true, result: 'same', warning: null },
    { ran: true },
    { ran: true },
    { ran: true, warning: expect.stringContaining('WARNING') },
    { ran: true },
    { ran: false, action: 'block', result: { details: { status: 'blocked' } } },
  ]);
});

it('guard tells what the tool throws, and throws it on', async () => {
  const { gateway } = await rig.connect();
  const run = gateway.run({ runId: 'r' });
  const failing = run.guard('read', {}, () => Promise.reject(new Error('Unknown tool: reed')));
  await expect(failing).rejects.toThrow('Unknown tool: reed');
  await rig.settle();
  expect(rig.judging.events().at(-1)).toMatchObject({ outcome: 'error', missingTool: 'reed' });
});

it('a run that was silent for as long as detectors remember one is begun anew, a minute ahead of them', async () => {
  const { gateway, told } = await rig.connect({ onStale: 'closed' });
  const run = gateway.run({ runId: 'r' });
  await turns(run, 6);
  rig.clock.advance(2 * 3_600_000 - 60_001);
  expect((await turn(run, 'c7')).action).toBe('block');
  rig.clock.advance(2 * 3_600_000 - 60_000);
  expect((await turn(run, 'c8')).action).toBe('allow');
  expect(told('attached').map(({ why }) => why)).toEqual(['first', expect.stringMatching(/idle|first/)]);
});

it('a result that comes after such a silence does not hide it', async () => {
  const { gateway, told } = await rig.connect({ onStale: 'closed' });
  const run = gateway.run({ runId: 'r' });
  await run.beforeCall({ callId: 'long', tool: 'build' });
  rig.clock.advance(2 * 3_600_000 - 60_000);
  run.afterCall({ callId: 'long', tool: 'build', result: 'done' });
  await turn(run, 'c2');
  expect(told('attached').map(({ why }) => why)).toEqual(['first', 'idle']);
});

it.each([
  { strict: { deadlineMs: Number.POSITIVE_INFINITY, onDeadline: 'closed' } },
  { strict: { deadlineMs: 2 ** 31, onDeadline: 'closed' } },
  { strict: { deadlineMs: 100, onDeadline: 'close' } },
  { onStale: 'close' },
  { buffer: { onFull: 'drop' } },
])('refuses an option that would quietly mean another: %j', async (wrong) => {
  await expect(rig.connect(wrong as never)).rejects.toMatchObject({ code: 'bad_option' });
});

it('refuses what is no run and answers nothing once it was closed', async () => {
  const { gateway } = await rig.connect();
  expect(() => gateway.run({ runId: '  ' })).toThrow(expect.objectContaining({ code: 'bad_run' }));
  const run = gateway.run({ runId: 'r' });
  await rig.close();
  await expect(run.beforeCall({ tool: 'read' })).rejects.toMatchObject({ code: 'closed' });
});

it('says when a run may go on elsewhere: once all that was told of it is in the log, or lost', async () => {
  const { gateway } = await rig.connect();
  const run = gateway.run({ runId: 'r' });
  await run.written();
  await run.beforeCall({ tool: 'read', args: {} });
  const written = run.written().then(() => rig.broker.records('loopwarden.events', 0).length);
  await rig.settle();
  expect(await written).toBe(2);
});
