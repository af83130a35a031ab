import { afterEach, expect, it } from 'vitest';
import { Rig } from '../../../test/gateway/rig.ts';
import type { Answer } from './answer.ts';
import type { Run } from './run.ts';

const STRICT = { deadlineMs: 100, onDeadline: 'open' } as const;
const CALL = { tool: 'read', args: { path: '/a' } };

let rig = new Rig();

afterEach(async () => {
  await rig.close();
  rig = new Rig();
});

/** Asks, and says whether an answer has come. */
function ask(run: Run, callId: string): { answer: Promise<Answer>; answered: () => boolean } {
  let come = false;
  const answer = run.beforeCall({ ...CALL, callId });
  void answer.then(() => {
    come = true;
  });
  return { answer, answered: () => come };
}

it('a decision waits for a mark at or above the last event of the run', async () => {
  const { gateway } = await rig.connect({ strict: STRICT });
  const { answer, answered } = ask(gateway.run({ runId: 'r' }), 'c1');
  await rig.settle();
  expect(answered()).toBe(false);
  rig.judging.mark(0, -1);
  await rig.settle();
  expect(answered()).toBe(false);
  rig.judging.catchUp();
  await rig.settle();
  expect(await answer).toMatchObject({ action: 'allow' });
});

it('every event asks for a mark', async () => {
  const { gateway } = await rig.connect({ strict: STRICT });
  const run = gateway.run({ runId: 'r' });
  const { answer } = ask(run, 'c1');
  await rig.round();
  await answer;
  run.afterCall({ ...CALL, callId: 'c1', result: 1 });
  run.end('completed');
  await rig.settle();
  const records = rig.broker.records('loopwarden.events', 0);
  expect(records.map(({ headers }) => headers['lw-mark'])).toEqual(['1', '1', '1', '1']);
});

it('refuses exactly the call that the policy says, however fast calls follow', async () => {
  const { gateway } = await rig.connect({ strict: STRICT });
  const run = gateway.run({ runId: 'r' });
  const actions: string[] = [];
  for (let index = 1; index <= 6; index += 1) {
    const { answer } = ask(run, `c${index}`);
    await rig.round();
    const { action } = await answer;
    actions.push(action);
    if (action !== 'block') run.afterCall({ ...CALL, callId: `c${index}`, result: 'same' });
  }
  expect(actions).toEqual(['allow', 'allow', 'allow', 'warn', 'allow', 'block']);
  expect(gateway.stats()).toMatchObject({ late: 0, undecided: 0 });
});

it('decisions of one run are serial: a parallel call waits for the judgement of the one before it', async () => {
  const { gateway } = await rig.connect({ strict: STRICT });
  const run = gateway.run({ runId: 'r' });
  const first = ask(run, 'c1');
  const second = ask(run, 'c2');
  await rig.round();
  expect([first.answered(), second.answered()]).toEqual([true, false]);
  await rig.round();
  expect(second.answered()).toBe(true);
});

it('runs do not wait for each other', async () => {
  const { gateway } = await rig.connect({ strict: STRICT });
  const one = ask(gateway.run({ runId: 'one' }), 'c1');
  await rig.settle();
  rig.judging.judge(0, 1);
  const two = ask(gateway.run({ runId: 'two' }), 'c1');
  await rig.settle();
  expect([one.answered(), two.answered()]).toEqual([true, false]);
  await rig.round();
  expect(two.answered()).toBe(true);
});

it.each([
  { onDeadline: 'open' as const, action: 'allow' },
  { onDeadline: 'closed' as const, action: 'block' },
])('no judgement in time: $onDeadline answers $action at the deadline', async ({ onDeadline, action }) => {
  const { gateway, told } = await rig.connect({ strict: { deadlineMs: 100, onDeadline } });
  const { answer, answered } = ask(gateway.run({ runId: 'r' }), 'c1');
  await rig.settle();
  rig.clock.advance(99);
  await rig.settle();
  expect(answered()).toBe(false);
  rig.clock.advance(1);
  expect((await answer).action).toBe(action);
  expect(told('undecided')).toMatchObject([{ runId: 'r', callId: 'c1', waitedMs: 100, onDeadline }]);
});

it('a call refused for want of a judgement is told as a veto that names no verdict', async () => {
  const { gateway } = await rig.connect({ strict: { deadlineMs: 100, onDeadline: 'closed' } });
  const { answer } = ask(gateway.run({ runId: 'r' }), 'c1');
  await rig.settle();
  rig.clock.advance(100);
  expect(await answer).toMatchObject({
    verdict: null,
    result: { details: { status: 'blocked', verdict: null } },
  });
  await rig.settle();
  expect(rig.judging.events().at(-1)).toMatchObject({ outcome: 'vetoed', verdict: null });
});

it('what is known stands at the deadline too', async () => {
  const { gateway } = await rig.connect({ strict: STRICT, gatewayId: 'slow' });
  const run = gateway.run({ runId: 'r' });
  for (let index = 1; index <= 5; index += 1) {
    const { answer } = ask(run, `c${index}`);
    await rig.round();
    await answer;
    run.afterCall({ ...CALL, callId: `c${index}`, result: 'same' });
  }
  await rig.round();
  run.afterCall({ tool: 'other', args: {}, result: 1 });
  const { answer } = ask(run, 'c6');
  await rig.settle();
  rig.clock.advance(100);
  expect((await answer).action).toBe('block');
});

it('parallel calls share one wait: none takes longer than the deadline from when it was asked', async () => {
  const { gateway } = await rig.connect({ strict: STRICT });
  const run = gateway.run({ runId: 'r' });
  const asked = ['c1', 'c2', 'c3'].map((callId) => ask(run, callId));
  await rig.settle();
  rig.clock.advance(100);
  await rig.settle();
  expect(asked.map(({ answered }) => answered())).toEqual([true, true, true]);
});

it('a new lineage voids the marks seen', async () => {
  const { gateway } = await rig.connect({ strict: STRICT });
  const run = gateway.run({ runId: 'r' });
  const first = ask(run, 'c1');
  await rig.round();
  await first.answer;
  await rig.round();
  rig.judging.renew(0, rig.clock.now());
  await rig.settle();
  const second = ask(run, 'c2');
  await rig.settle();
  expect(second.answered()).toBe(true);
  rig.judging.append(0, {
    key: null,
    value: rig.codec.encodeMark({ partition: 0, offset: 0, end: 9 }),
    lineage: rig.clock.now() + 1,
  });
  await rig.settle();
  const third = ask(run, 'c3');
  await rig.settle();
  expect(third.answered()).toBe(false);
  rig.clock.advance(100);
  await third.answer;
});
