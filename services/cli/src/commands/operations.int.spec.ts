import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { partitionOf } from '@loopwarden/stream';
import { expect, it, onTestFinished } from 'vitest';
import { lastRecords } from '../records/bounded-records.ts';
import { judgedLog } from '../testing/judged-log.ts';
import { runCommand } from '../testing/run-command.ts';
import { recordsOf, temporaryFolder, temporaryLog } from '../testing/temporary-log.ts';
import { deadLettersCommand } from './dead-letters.ts';
import { logCommand } from './log.ts';
import { policyApplyCommand } from './policy-apply.ts';
import { policyHistoryCommand } from './policy-history.ts';
import { policyShowCommand } from './policy-show.ts';
import { releaseCommand } from './release.ts';

const json = (line: string | undefined): unknown => JSON.parse(line ?? 'null');

async function policyFile(text: string): Promise<string> {
  const path = join(await temporaryFolder(onTestFinished), 'policy.json5');
  await writeFile(path, text);
  return path;
}

it('a policy is applied, listed and shown', async () => {
  const { dataDir } = await temporaryLog(onTestFinished);
  const path = await policyFile('{ enabled: true, warningThreshold: 5 }');
  const at = ['--data-dir', dataDir];
  const applied = await runCommand(
    policyApplyCommand,
    path,
    '--reason',
    'try',
    '--actor',
    'ada',
    '--yes',
    ...at,
  );
  expect(applied).toMatchObject({ status: 0, err: [] });
  expect(applied.out).toContain('  warningThreshold  10 → 5');
  expect(applied.out.at(-1)).toBe('Revision 0 is applied: it stands in 3 partitions of events.');
  const history = await runCommand(policyHistoryCommand, '--json', ...at);
  expect(history.out.map(json)).toMatchObject([{ revision: 0, actor: 'ada', reason: 'try', ignored: null }]);
  const shown = await runCommand(policyShowCommand, '--agent', 'coder', '--json', ...at);
  expect(shown.out.map(json)).toContainEqual({ setting: 'warningThreshold', value: 5, source: 'global' });
});

it.each([
  ['{ warningThreshold: 0 }', ['--yes'], 'bad_policy'],
  ['{ enabled: true }', [], 'not_confirmed'],
])('%s with %j is not applied: %s', async (text, flags, code) => {
  const { dataDir, opened } = await temporaryLog(onTestFinished);
  const path = await policyFile(text);
  const applied = await runCommand(
    policyApplyCommand,
    path,
    '--reason',
    'try',
    '--data-dir',
    dataDir,
    ...flags,
  );
  expect(applied.status).toBe(2);
  expect(applied.err.at(-1)).toContain(`[${code}]`);
  expect(await recordsOf(opened, opened.topics.policies)).toEqual([]);
});

it('a release is written where its run is judged', async () => {
  const { dataDir, opened } = await temporaryLog(onTestFinished);
  const said = await runCommand(
    releaseCommand,
    '--run',
    'r-17',
    '--tool',
    'Bash',
    '--reason',
    'mended',
    '--json',
    '--data-dir',
    dataDir,
  );
  expect(said).toMatchObject({ status: 0, err: [expect.stringMatching(/run r-17.+\[run_unknown\]$/)] });
  expect(json(said.out[0])).toMatchObject({
    runId: 'r-17',
    match: { scope: 'tool', tool: 'exec' },
    offset: 0,
  });
  const [record] = await recordsOf(opened, opened.topics.events, partitionOf('r-17', 3));
  const decoded = opened.codec.decodeEvent(record?.value ?? new Uint8Array());
  expect(decoded).toMatchObject({
    ok: true,
    value: { type: 'release', gatewayId: 'operator', sequence: 1, reason: 'mended' },
  });
});

it('a release of a run that was judged is written without more ado', async () => {
  const log = await judgedLog(onTestFinished);
  await log.gateway.loop('r', 5);
  await log.judge();
  const said = await runCommand(
    releaseCommand,
    '--run',
    'r',
    '--reason',
    'mended',
    '--data-dir',
    log.dataDir,
  );
  expect(said).toMatchObject({ status: 0, err: [] });
});

it('a release of a tool or call that nothing stands against is said, and written all the same', async () => {
  const log = await judgedLog(onTestFinished);
  await log.gateway.loop('r', 5);
  await log.judge();
  const release = (...what: string[]) =>
    runCommand(releaseCommand, '--run', 'r', '--reason', 'mended', '--data-dir', log.dataDir, ...what);
  expect(await release('--tool', 'read')).toMatchObject({ status: 0, err: [] });
  const nothing = [expect.stringMatching(/run r:.+\[nothing_stands\]$/)];
  const call = ['--tool', 'read', '--args', '{"path": "a.ts"}', '--json'];
  for (const what of [['--tool', 'write', '--json'], call]) {
    const said = await release(...what);
    expect(said).toMatchObject({ status: 0, err: nothing });
    expect(json(said.out[0])).toMatchObject({ runId: 'r', offset: expect.any(Number) });
  }
});

it('dead letters are listed and shown with what they hold', async () => {
  const { dataDir, opened } = await temporaryLog(onTestFinished);
  const letter = {
    topic: opened.topics.events,
    partition: 1,
    offset: 7,
    timestamp: 1000,
    code: 'bad_magic',
    detail: 'the value begins with 9, not with 0',
  };
  const bytes = { key: Buffer.from('run'), value: new Uint8Array([9, 9]) };
  const value = opened.codec.encodeDeadLetter({ ...letter, ...bytes });
  await opened.log.writer().append([{ topic: opened.topics.deadLetters, partition: 0, key: null, value }]);
  const at = ['--data-dir', dataDir];
  const listed = await runCommand(deadLettersCommand, 'list', '--json', ...at);
  expect(listed.out.map(json)).toEqual([{ ...letter, number: 0, timestamp: '1970-01-01T00:00:01.000Z' }]);
  expect((await runCommand(deadLettersCommand, 'list', '--code', 'other', ...at)).out).toEqual([
    'No dead letters.',
  ]);
  const shown = await runCommand(deadLettersCommand, 'show', '0', '--json', ...at);
  expect(json(shown.out[0])).toMatchObject({
    code: 'bad_magic',
    key: Buffer.from('run').toString('base64'),
    value: 'CQk=',
  });
  expect((await runCommand(deadLettersCommand, 'show', '1', ...at)).err[0]).toContain('[no_letter]');
});

it('the log is listed and printed decoded; what cannot be decoded is printed too', async () => {
  const { dataDir, opened } = await temporaryLog(onTestFinished);
  const at = ['--data-dir', dataDir];
  await runCommand(releaseCommand, '--run', 'r', '--reason', 'mended', ...at);
  const { events } = opened.topics;
  const partition = partitionOf('r', 3);
  await opened.log
    .writer()
    .append([{ topic: events, partition, key: null, value: new Uint8Array([9, 9, 9, 9, 9, 9]) }]);
  const ranges = (await runCommand(logCommand, 'ls', '--json', ...at)).out.map(json);
  expect(ranges).toContainEqual({ topic: events, partition, start: 0, end: 2 });
  const lines = (await runCommand(logCommand, 'cat', 'events', ...at)).out.map(json);
  expect(lines).toMatchObject([
    { topic: events, partition, offset: 0, key: 'r', value: { type: 'release', runId: 'r' } },
    { offset: 1, key: null, undecodable: { code: 'bad_magic' }, bytes: 'CQkJCQkJ' },
  ]);
  const one = await runCommand(logCommand, 'cat', events, '-p', String(partition), '--from', '1', ...at);
  expect(one.out).toHaveLength(1);
  expect((await runCommand(logCommand, 'cat', 'nothing', ...at)).err[0]).toContain('[no_topic]');
});

it('a number of records is meant of all partitions together, by time', async () => {
  const { dataDir, opened } = await temporaryLog(onTestFinished);
  const at = ['--data-dir', dataDir];
  const runs = Array.from({ length: 9 }, (_, index) => `run-${index}`);
  for (const run of runs) await runCommand(releaseCommand, '--run', run, '--reason', 'mended', ...at);
  const keys = async (...args: string[]): Promise<unknown[]> => {
    const { out } = await runCommand(logCommand, 'cat', 'events', ...args, ...at);
    return out.map((line) => JSON.parse(line).key);
  };
  expect(new Set(runs.map((run) => partitionOf(run, 3))).size).toBe(3);
  expect(await keys('-n', '4')).toEqual(runs.slice(0, 4));
  expect(await keys('-n', '100')).toEqual(runs);
  expect(await keys('-n', '0')).toEqual([]);
  expect(await keys()).toHaveLength(9);
  const { topics, log } = opened;
  const reading = { topic: topics.events, ranges: await log.reader.ranges(topics.events) };
  const last = await lastRecords(opened, reading, 4);
  expect(last.map(({ key }) => String(key && Buffer.from(key)))).toEqual(runs.slice(-4));
  expect(await lastRecords(opened, reading, 0)).toEqual([]);
});

it('a folder without a log is not taken for an empty log', async () => {
  const missing = join(await temporaryFolder(onTestFinished), 'nowhere');
  const said = await runCommand(logCommand, 'ls', '--data-dir', missing);
  expect(said).toMatchObject({ status: 2, err: [expect.stringContaining('[no_log]')] });
  expect(said.err[0]).toContain('--data-dir or LOOPWARDEN_DATA_DIR');
});

it('no policy is applied to a folder without a log', async () => {
  const missing = join(await temporaryFolder(onTestFinished), 'nowhere');
  const path = await policyFile('{ enabled: true }');
  const said = await runCommand(policyApplyCommand, path, '--reason', 'try', '--yes', '--data-dir', missing);
  expect(said).toMatchObject({ status: 2, out: [], err: [expect.stringContaining('[no_log]')] });
  expect(existsSync(missing)).toBe(false);
});
