import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { replayCommand } from '../commands/replay.ts';
import { digestOf, type JudgedLog, judgedLog, publishedIn } from '../testing/judged-log.ts';
import { runCommand } from '../testing/run-command.ts';

const ALL = ['--from', '2001-01-01T00:00:00Z'];

/** What a replay of the log says, as JSON. */
async function replay({ dataDir }: JudgedLog, ...args: string[]) {
  const { status, out, err } = await runCommand(replayCommand, '--data-dir', dataDir, '--json', ...args);
  const lines = out.map((line) => JSON.parse(line));
  return {
    status,
    err,
    lines,
    verdicts: lines.filter(({ type }) => type === 'verdict'),
    summary: lines.at(-1),
  };
}

it('finds every published verdict equal', async () => {
  const log = await judgedLog(onTestFinished);
  for (const run of ['r-1', 'r-2', 'r-3', 'r-4']) {
    await log.gateway.attach(run);
    await log.gateway.loop(run, 7);
  }
  await log.gateway.end('r-1');
  await log.judge();
  const { status, summary, verdicts } = await replay(log, ...ALL);
  const published = await publishedIn(log);
  expect(published.length).toBeGreaterThan(16);
  expect(summary.verdicts).toEqual({
    equal: published.length,
    different: 0,
    missing: 0,
    unexpected: 0,
    pending: 0,
  });
  expect(status).toBe(0);
  expect(verdicts.map(({ id }) => id).sort()).toEqual(
    published.map(({ verdict: { runId, epoch, sequence } }) => `${runId}/${epoch}.${sequence}`).sort(),
  );
});

