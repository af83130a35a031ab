import type { Verdict } from '@loopwarden/detection';
import { afterEach, expect, it } from 'vitest';
import { Rig } from '../../../test/gateway/rig.ts';
import { SMALL } from '../../../test/given.ts';
import type { Answer } from './answer.ts';
import type { Clock } from './clock.ts';
import type { Run } from './run.ts';

const STRICT = { deadlineMs: 100, onDeadline: 'open' } as const;
const CALL = { tool: 'read', args: { path: '/a' } };
const OFF = { ...SMALL, loopwarden: { ...SMALL.loopwarden, enforce: false } };

let fails = false;
let rig = opened();

function opened(): Rig {
  fails = false;
  return new Rig({ faults: ({ kind }) => (kind === 'append' && fails ? { fail: 'before' } : undefined) });
}

afterEach(async () => {
  fails = false;
  await rig.close();
  rig = opened();
});

function ask(run: Run, callId = 'c'): { answer: Promise<Answer>; answered: () => boolean } {
  let come = false;
  const answer = run.beforeCall({ ...CALL, callId });
  void answer.then(() => {
    come = true;
  });
  return { answer, answered: () => come };
}

it.each(['drop-oldest', 'refuse'] as const)(
  'runs that wait while a full buffer loses their events (%s) do not keep each other busy: all are answered in time',
  async (onFull) => {
    const { gateway } = await rig.connect({ strict: STRICT, buffer: { records: 2, onFull } });
    fails = true;
    const askFor = (...runIds: string[]) => runIds.map((runId) => ask(gateway.run({ runId })));
    const first = askFor('one', 'two');
    await rig.settle(); // the append has failed, and is paused for
    const asked = [...first, ...askFor('three', 'four')];
    await rig.settle();
    rig.clock.advance(100);
    await rig.settle();
    expect(asked.map(({ answered }) => answered())).toEqual([true, true, true, true]);
    expect(gateway.stats().dropped.buffer).toBeLessThan(20);
  },
);

it('with enforcement off nothing is waited for and nothing refused, with no detector alive', async () => {
  rig.judging.policy(OFF);
  const { gateway } = await rig.connect({
    strict: { ...STRICT, onDeadline: 'closed' },
    buffer: { records: 1, onFull: 'refuse' },
  });
  fails = true;
  const run = gateway.run({ runId: 'r' });
  expect([(await run.beforeCall(CALL)).action, (await run.beforeCall(CALL)).action]).toEqual([
    'allow',
    'allow',
  ]);
  expect(gateway.stats()).toMatchObject({ undecided: 0, vetoes: 0 });
});

it('a decision that waits is made as soon as enforcement is switched off', async () => {
  const { gateway } = await rig.connect({ strict: { ...STRICT, onDeadline: 'closed' } });
  const { answer, answered } = ask(gateway.run({ runId: 'r' }));
  await rig.settle();
  expect(answered()).toBe(false);
  rig.judging.policy(OFF);
  await rig.settle();
  expect((await answer).action).toBe('allow');
});

it('a topic that was made anew, whose offsets begin at 0, is waited for as any other', async () => {
  const log = rig.broker.connect('shifted');
  let shift = 1_000;
  const shifted = {
    ...log,
    reader: log.reader,
    writer: () => {
      const writer = log.writer();
      const append: typeof writer.append = async (records) =>
        (await writer.append(records)).map((position) => ({ ...position, offset: position.offset + shift }));
      return { append, close: () => writer.close() };
    },
    close: () => log.close(),
  };
  const { gateway } = await rig.connect({
    strict: STRICT,
    log: { log: shifted, codec: rig.codec, findSchema: async () => null },
  });
  const run = gateway.run({ runId: 'r' });
  const first = ask(run);
  await rig.settle();
  rig.judging.mark(0, 1_000);
  await rig.settle();
  expect(first.answered()).toBe(true);
  await rig.settle();
  shift = 0;
  run.afterCall({ ...CALL, callId: 'c', result: 1 });
  await rig.settle();
  rig.judging.renew(0, rig.clock.now());
  rig.judging.catchUp();
  const second = ask(run);
  await rig.settle();
  expect(second.answered()).toBe(true);
});

it('a new epoch and lineage that come while a decision waits are what it is decided by', async () => {
  const { gateway } = await rig.connect({ strict: STRICT });
  const { answer } = ask(gateway.run({ runId: 'r' }));
  await rig.settle();
  const block = (epoch: number, sequence: number): Verdict => ({
    ...{ runId: 'r', agentId: null, sessionId: null, gatewayId: 'gw', epoch, sequence, action: 'block' },
    ...{ match: { scope: 'tool', tool: 'read', args: null }, detector: 'unknown_tool_repeat', count: 3 },
    ...{ threshold: 3, level: 0, warning: 0, pairedTool: null, ends: null, reason: null, shadow: false },
    ...{ trigger: { source: 's', sequence: 1 }, at: rig.clock.now(), policyRevision: 0, profiles: 'p' },
    ...{ engine: '1', message: `CRITICAL: ${epoch}` },
  });
  rig.judging.publish(block(5, 1), 0, 7);
  rig.judging.publish(block(4, 9), 0, 7);
  rig.judging.publish(block(6, 1), 0, 8);
  rig.judging.append(0, {
    key: null,
    value: rig.codec.encodeMark({ partition: 0, offset: 0, end: 1 }),
    lineage: 8,
  });
  await rig.settle();
  expect(await answer).toMatchObject({ action: 'block', verdict: { epoch: 6 } });
});

it('a run that is served again while it waits is told anew first, and answered', async () => {
  const { gateway, told } = await rig.connect({ strict: STRICT });
  const first = ask(gateway.run({ runId: 'r' }), 'c1');
  await rig.settle();
  const second = ask(gateway.run({ runId: 'r' }), 'c2');
  for (let round = 0; round < 3; round += 1) await rig.round();
  expect([first.answered(), second.answered()]).toEqual([true, true]);
  expect(told('attached').map(({ why }) => why)).toEqual(['first', 'first']);
  expect(rig.judging.events().map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
});

it('a run that is forgotten while it waits, for want of room, is answered', async () => {
  const { gateway } = await rig.connect({ strict: STRICT, maxRuns: 1 });
  const first = ask(gateway.run({ runId: 'one' }));
  const second = ask(gateway.run({ runId: 'two' }));
  await rig.round();
  expect([first.answered(), second.answered()]).toEqual([true, true]);
});

it('a clock that is set back meanwhile puts no deadline off, and gives no negative time', async () => {
  let backMs = 0;
  const clock: Clock = {
    now: () => rig.clock.now() - backMs,
    later: (milliseconds, task) => rig.clock.later(milliseconds, task),
  };
  const { gateway, told } = await rig.connect({ strict: STRICT, clock });
  const { answered } = ask(gateway.run({ runId: 'r' }));
  await rig.settle();
  backMs = 3_600_000;
  rig.clock.advance(100);
  await rig.settle();
  expect(answered()).toBe(true);
  expect(told('undecided')).toMatchObject([{ waitedMs: 0 }]);
});
