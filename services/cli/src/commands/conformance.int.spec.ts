import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from '../testing/run-command.ts';
import { conformanceCommand } from './conformance.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'loopwarden-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function played(lines: readonly string[], ...args: string[]) {
  const path = join(folder, 'cases.jsonl');
  await writeFile(path, lines.join('\n'));
  return runCommand(conformanceCommand, path, ...args);
}

const SILENT = '{"id":"good","policy":{},"events":[],"expect":[]}';
const UNKNOWN_EVENT = '{"id":"bad\\u001b[2J","policy":{},"events":[{"type":"nap"}]}';

test('what is no case is told, and the cases after it are played', async () => {
  const { status, out, err } = await played(['{', UNKNOWN_EVENT, SILENT], '--json');
  expect(out).toEqual(['{"id":"good","actual":[]}']);
  expect(err).toHaveLength(2);
  expect(status).toBe(2);
});

test('unusable cases are counted apart from those that hold', async () => {
  const { status, out } = await played(['{', SILENT]);
  expect(out).toEqual(['1 of 1 cases hold; 1 cannot be used.']);
  expect(status).toBe(2);
});

test('no control character of a case reaches the terminal', async () => {
  const differs =
    '{"id":"\\u001b[2J","desc":"\\u009b","policy":{},"events":[],"expect":[{"path":"\\u001b"}]}';
  const { out, err } = await played([UNKNOWN_EVENT, differs]);
  expect([...out, ...err].join('\n')).not.toMatch(/[^\P{Cc}\n]/u);
});
