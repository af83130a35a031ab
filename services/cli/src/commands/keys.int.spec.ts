import { expect, it, onTestFinished } from 'vitest';
import { runCommand } from '../testing/run-command.ts';
import { temporaryFolder } from '../testing/temporary-log.ts';
import { keysCommand } from './keys.ts';

it('without a key the list says how to make one', async () => {
  const at = ['--data-dir', await temporaryFolder(onTestFinished)];
  const none = await runCommand(keysCommand, 'list', ...at);
  expect(none).toMatchObject({ status: 0, err: [], out: [expect.stringContaining('loopwarden keys new')] });
  expect(await runCommand(keysCommand, 'list', '--json', ...at)).toEqual({ status: 0, out: [], err: [] });
  await runCommand(keysCommand, 'new', '--id', 'ada', ...at);
  const listed = await runCommand(keysCommand, 'list', '--json', ...at);
  expect(listed.out.map((line) => JSON.parse(line))).toMatchObject([{ keyId: 'ada', retiredFrom: null }]);
});
