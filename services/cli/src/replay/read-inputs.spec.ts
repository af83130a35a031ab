import { expect, it } from 'vitest';
import { WATCHING } from '../policy/policy-file.ts';
import { InputReading } from './read-inputs.ts';
import { Replay } from './replay.ts';

/** What reading one file of these lines says and counts. */
async function reading(lines: readonly object[]) {
  const said: string[] = [];
  const say = (sentence: string): void => void said.push(sentence);
  const inputs = new InputReading({ refused: say, invalid: say, progress: () => undefined });
  const replay = new Replay(WATCHING, { verdict: () => undefined, run: () => undefined });
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const open = async function* () {
    yield Buffer.from(text);
  };
  await inputs.read({ path: 'events.jsonl', bytes: null, open }, replay);
  return { said, totals: inputs.totals };
}

const CALL = { type: 'tool_call', runId: 'r', tool: 'read' };

it.each([
  [
    'a misspelt type',
    { ...CALL, type: 'tool_cal' },
    'type must be one of attach, tool_call, tool_result, compaction, run_end, release, policy, and is "tool_cal".',
  ],
  ['no type', { runId: 'r', tool: 'read' }, 'type must be one of'],
  ['a misspelt run', { type: 'tool_call', runid: 'r', tool: 'read' }, 'tool_call has no field "runid"'],
  ['no run', { type: 'tool_call', tool: 'read' }, 'tool_call needs runId.'],
  ['a run that is no text', { ...CALL, runId: 5 }, 'runId must be'],
  ['a policy without a document', { type: 'policy' }, 'policy needs policy.'],
])('an event with %s is left out and named by its line', async (_what, line, detail) => {
  const { said, totals } = await reading([CALL, line]);
  expect(said).toEqual([expect.stringContaining(`events.jsonl:2: ${detail}`)]);
  expect(totals).toMatchObject({ lines: 2, events: 2, invalid: 1, skipped: 0 });
});

it('a misspelt type is named also where it is the first line', async () => {
  const { said, totals } = await reading([{ ...CALL, type: 'tool_cal' }, CALL]);
  expect(said).toEqual([expect.stringContaining('events.jsonl:1: type must be one of')]);
  expect(totals.invalid).toBe(1);
});

it('what an event says in place of its type does not reach the terminal raw', async () => {
  const { said } = await reading([CALL, { ...CALL, type: 'tool\u009b31m\u202e' }]);
  expect(said[0]).toContain('"tool 31m "');
});

it('a line between events that is meant as none is counted', async () => {
  const { said, totals } = await reading([CALL, { level: 'info' }]);
  expect(said).toEqual([]);
  expect(totals).toMatchObject({ invalid: 0, skipped: 1 });
});
