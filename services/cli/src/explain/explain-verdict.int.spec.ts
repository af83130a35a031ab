import { verdictId } from '@loopwarden/detection';
import { expect, it, onTestFinished } from 'vitest';
import { explainCommand } from '../commands/explain.ts';
import { timeText } from '../terminal/time-text.ts';
import { digestOf, type JudgedLog, judgedLog, publishedIn, SMALL } from '../testing/judged-log.ts';
import { runCommand } from '../testing/run-command.ts';

/** A run that is blocked for repeating itself, with other work in between; and where its events stand. */
async function blockedRun() {
  const log = await judgedLog(onTestFinished);
  const { gateway } = log;
  await gateway.attach('team/r.1');
  const places: [number, number][] = [];
  for (let turn = 0; turn < 5; turn += 1) {
    places.push([await gateway.call('team/r.1'), await gateway.result('team/r.1')]);
    if (turn === 2) {
      await gateway.call('team/r.1', { args: digestOf('cc') });
      await gateway.result('team/r.1', { args: digestOf('cc'), digest: digestOf('dd') });
      await gateway.loop('other', 2);
    }
  }
  await log.judge();
  const said = (await publishedIn(log)).find(({ verdict }) => verdict.action === 'block');
  if (said === undefined) throw new Error('nothing was blocked');
  return { log, places, ...said };
}

async function explain({ dataDir }: JudgedLog, ...args: string[]) {
  return runCommand(explainCommand, ...args, '--data-dir', dataDir);
}

it('a block is shown with the calls and results that made it, the policy, and what was published', async () => {
  const { log, places, verdict, record } = await blockedRun();
  const { status, out } = await explain(log, verdictId(verdict), '--json');
  expect(status).toBe(0);
  const explained = JSON.parse(out.join('\n'));
  const { partition } = record;
  expect(explained).toMatchObject({
    state: 'equal',
    partial: false,
    published: { partition, offset: record.offset, lineage: 0 },
    recomputed: {
      verdict: { id: verdictId(verdict), action: 'block', count: 5 },
      trigger: { partition, offset: places.at(-1)?.[1], type: 'tool_result' },
    },
  });
  const { window, policy } = explained.recomputed;
  expect(window).toHaveLength(6);
  const counting = window.filter(({ counts }: { counts: boolean }) => counts);
  expect(
    counting.map((row: { call: { offset: number }; result: { offset: number } }) => [
      row.call.offset,
      row.result.offset,
    ]),
  ).toEqual(places);
  expect(policy).toMatchObject({ revision: 0, actor: 'ada', since: { partition, offset: 0 } });
  expect(policy.settings).toContainEqual({ setting: 'criticalThreshold', value: 5, source: 'global' });
});

it('people see where each call stands, and that nothing differs', async () => {
  const { log, places, verdict, record } = await blockedRun();
  const { out } = await explain(log, verdictId(verdict));
  const text = out.join('\n');
  expect(text).toContain('as it is recomputed');
  expect(text).toContain(`${record.partition}:${places[0]?.[0]}`);
  expect(text).toContain(timeText(verdict.at));
});

it('a policy that took over is named with the place and time from which it holds', async () => {
  const { log } = await blockedRun();
  const loopDetection = {
    ...SMALL.tools.loopDetection,
    criticalThreshold: 4,
    globalCircuitBreakerThreshold: 6,
  };
  await log.apply({ tools: { loopDetection } });
  await log.gateway.loop('team/r.1', 1);
  await log.judge();
  const newest = (await publishedIn(log)).findLast(({ verdict }) => verdict.runId === 'team/r.1');
  if (newest === undefined) throw new Error('nothing was published');
  const { out } = await explain(log, verdictId(newest.verdict), '--json');
  const { state, recomputed } = JSON.parse(out.join('\n'));
  expect(state).toBe('equal');
  expect(recomputed.policy.revision).toBe(1);
  expect(recomputed.policy.since.offset).toBeGreaterThan(0);
});

it('a withdrawal is shown with the window that was withdrawn', async () => {
  const { log } = await blockedRun();
  await log.gateway.end('team/r.1');
  await log.judge();
  const ended = (await publishedIn(log)).find(({ verdict }) => verdict.reason === 'run_ended');
  if (ended === undefined) throw new Error('nothing was released');
  const { out } = await explain(log, verdictId(ended.verdict), '--json');
  const { state, recomputed } = JSON.parse(out.join('\n'));
  expect(state).toBe('equal');
  expect(recomputed).toMatchObject({ trigger: { type: 'run_end' }, standing: [] });
  expect(recomputed.window).toHaveLength(6);
});

it.each([
  ['r-1', 'bad_verdict'],
  ['r-1/12', 'bad_verdict'],
  ['r-1/1700000000000.1', 'no_verdict'],
])('%s is refused', async (name, code) => {
  const log = await judgedLog(onTestFinished);
  const { status, err } = await explain(log, name);
  expect(status).toBe(2);
  expect(err.join()).toContain(`[${code}]`);
});
