import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { followFile } from './follow.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'loopwarden-'));
});
afterAll(() => rm(folder, { recursive: true }));

test('bytes come as they are appended, also after the file was written anew, until the signal', async () => {
  const path = join(folder, 'growing.jsonl');
  await writeFile(path, 'first\n');
  const stop = new AbortController();
  const chunks = followFile(path, stop.signal);
  const next = async () => Buffer.from((await chunks.next()).value ?? []).toString();
  expect(await next()).toBe('first\n');
  await appendFile(path, 'second\n');
  expect(await next()).toBe('second\n');
  const anew = next(); // waits, and sees the shorter file
  await writeFile(path, 'new\n');
  expect(await anew).toBe('new\n');
  stop.abort();
  expect((await chunks.next()).done).toBe(true);
});
