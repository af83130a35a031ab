import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../testing/temporary-log.ts';
import { listInputs } from './inputs.ts';

it('the files of a folder and its folders are listed; links are named, and not followed', async () => {
  const folder = await temporaryFolder(onTestFinished);
  await mkdir(join(folder, 'b'));
  await writeFile(join(folder, 'b', 'one.jsonl'), '{}\n');
  await writeFile(join(folder, '.hidden'), '{}\n');
  await symlink('b/one.jsonl', join(folder, 'a-link.jsonl'));
  await symlink('..', join(folder, 'b', 'circle'));
  const listed = await listInputs(folder);
  expect(listed).toMatchObject({
    ok: true,
    value: {
      inputs: [{ path: join(folder, 'b', 'one.jsonl'), bytes: 3 }],
      links: [join(folder, 'a-link.jsonl'), join(folder, 'b', 'circle')],
    },
  });
});

it('a folder of links alone says so', async () => {
  const folder = await temporaryFolder(onTestFinished);
  await symlink('nowhere', join(folder, 'link'));
  expect(await listInputs(folder)).toMatchObject({
    ok: false,
    error: { code: 'folder_empty', message: expect.stringContaining('only 1 symbolic link') },
  });
});
