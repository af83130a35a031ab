import { readFileSync } from 'node:fs';
import { playCase, readCase } from 'loopwarden/conformance';
import { describe, expect, test } from 'vitest';

const FILES = ['verdicts.jsonl', 'lifecycle.jsonl', 'policies.jsonl'];

/** Recorded behaviour of the reference, through the whole chain: event, detector, verdicts, standings, decision. */
describe.each(FILES)('%s', (file) => {
  const text = readFileSync(new URL(`conformance/${file}`, import.meta.url), 'utf8');
  const cases = text
    .trim()
    .split('\n')
    .map((line) => readCase(JSON.parse(line)));

  test.each(cases.map((recorded) => [recorded?.id, recorded] as const))('%s', (_, recorded) => {
    expect(recorded?.expect).not.toBeNull();
    expect(recorded && playCase(recorded)).toEqual({ ok: true, actual: recorded?.expect });
  });
});
