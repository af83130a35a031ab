import { expect, test } from 'vitest';
import { differenceLines } from './difference.ts';

const CASE = {
  id: 'x',
  desc: '',
  policy: {},
  events: [{ type: 'tool_call', runId: 'r', tool: 'read' }],
  expect: [],
};

test('a difference names the event, what was expected and what came', () => {
  const lines = differenceLines(CASE, [{ event: 0, action: 'warn' }], [{ event: 0, action: 'block' }]);
  expect(lines).toEqual(['event 0 (tool_call read r): expected {"action":"warn"}, got {"action":"block"}']);
});

test('what is missing and what is too much are told, what is equal is not', () => {
  const same = { event: 0, action: 'warn' };
  expect(differenceLines(CASE, [same], [same, { event: 5, action: 'warn' }])).toEqual([
    'event 5: expected nothing, got {"action":"warn"}',
  ]);
});
