import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readConfigFile } from './config-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'loopwarden-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

function written(text: string): string {
  const path = join(folder, 'config.json5');
  writeFileSync(path, text);
  return path;
}

it('reads JSON with comments, bare keys and trailing commas', () => {
  expect(readConfigFile(written("{ // where\n http: { port: 1, }, log: 'kafka' }"))).toEqual({
    ok: true,
    file: { http: { port: 1 }, log: 'kafka' },
  });
});

it('says where a file is broken', () => {
  const result = readConfigFile(written('{ http: { port: 1 '));
  expect(result).toMatchObject({
    ok: false,
    fault: { sentence: expect.stringMatching(/not valid JSON5.*1:\d+/) },
  });
});

it('says which file is missing', () => {
  const path = join(folder, 'missing.json5');
  expect(readConfigFile(path)).toEqual({
    ok: false,
    fault: { path, sentence: `${path} cannot be read (ENOENT).` },
  });
});
