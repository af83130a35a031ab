import { expect, it, onTestFinished } from 'vitest';
import { digestOf, judgedLog, publishedIn } from '../testing/judged-log.ts';
import { runCommand } from '../testing/run-command.ts';
import { gatewaysCommand } from './gateways.ts';

it('shows of each gateway what it made of verdicts', async () => {
  const log = await judgedLog(onTestFinished);
  const at = ['--data-dir', log.dataDir];
  await log.gateway.loop('r', 5);
  await log.judge();
  const block = (await publishedIn(log))
    .map(({ verdict }) => verdict)
    .find(({ action }) => action === 'block');
  if (block === undefined) throw new Error('nothing was blocked');
  const seen = { epoch: block.epoch, sequence: block.sequence };
  await log.gateway.call('r', { seen: null });
  await log.gateway.call('r', { seen });
  await log.gateway.call('r', { seen, despite: { ...seen, why: 'off' } });
  await log.gateway.result('r', { outcome: 'vetoed', digest: null, verdict: seen, seen });
  await log.gateway.call('r', { args: digestOf('cc') });
  const told = await runCommand(gatewaysCommand, '--json', ...at);
  expect(told).toMatchObject({ status: 0, err: [] });
  expect(told.out.map((line) => JSON.parse(line))).toMatchObject([
    { gatewayId: 'gw', runs: 1, calls: 9, vetoes: 1, late: 1, disobeyed: 1, despite: { off: 1 }, lost: 0 },
  ]);
  const [heading, row] = (await runCommand(gatewaysCommand, ...at)).out;
  expect(heading).toMatch(
    /^GATEWAY +RUNS +CALLS +WARNED +VETOED +FIRST AFTER +ABORTED +LATE +LATE BY +DISOBEYED +DESPITE/,
  );
  expect(row).toMatch(/^gw +1 +9 +0 +1 +p50 .+, p99 .+ 0 +1 +p50 \d+ ms, p99 \d+ ms +1 +off 1 +0/);
});

it.each([
  ['yesterday', 2, 'bad_time'],
  ['2999-01-01T00:00:00Z', 0, 'No gateway has written anything.'],
])('--since %s: status %i', async (since, status, says) => {
  const log = await judgedLog(onTestFinished);
  const told = await runCommand(gatewaysCommand, '--since', since, '--data-dir', log.dataDir);
  expect(told.status).toBe(status);
  expect([...told.out, ...told.err].join('\n')).toContain(says);
});
