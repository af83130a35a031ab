import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { runCommand } from '../testing/run-command.ts';
import { temporaryFolder, temporaryLog } from '../testing/temporary-log.ts';
import { topicsCommand } from './topics.ts';

it('a plan changes nothing, also where there is no log; apply makes one', async () => {
  const dataDir = join(await temporaryFolder(onTestFinished), 'data');
  const planned = await runCommand(topicsCommand, 'plan', '--data-dir', dataDir);
  expect(planned).toMatchObject({ status: 2, out: [], err: [expect.stringContaining('[no_log]')] });
  expect(existsSync(dataDir)).toBe(false);
  const applied = await runCommand(topicsCommand, 'apply', '--data-dir', dataDir);
  expect(applied).toMatchObject({ status: 0, out: ['Every topic is as declared.'] });
  expect(await runCommand(topicsCommand, 'plan', '--data-dir', dataDir)).toEqual(applied);
});

it('a plan of a log with other topics says what differs and creates none', async () => {
  const { dataDir, opened } = await temporaryLog(onTestFinished);
  const at = ['--data-dir', dataDir, '--topics-prefix', 'other.'];
  const planned = await runCommand(topicsCommand, 'plan', '--json', ...at);
  expect(planned).toMatchObject({ status: 1, err: [] });
  expect(planned.out.map((line) => JSON.parse(line).topic)).toContain('other.events');
  expect(await opened.log.admin.topics()).not.toContain('other.events');
});
