import { expect, test } from 'vitest';
import { readCase } from './case.ts';

const CALL = { type: 'tool_call', runId: 'r', tool: 'read' };

test('a case whose lists hold anything but objects is none: what is left out would move every place after it', () => {
  expect(readCase({ id: 'x', policy: {}, events: [null, CALL] })).toBeNull();
  expect(readCase({ id: 'x', policy: {}, events: [CALL], expect: [null] })).toBeNull();
  expect(readCase({ id: 'x', policy: {}, events: 5 })).toBeNull();
  expect(readCase({ id: 'x', policy: {}, events: [CALL] })?.events).toEqual([CALL]);
});

test('a case on a policy keeps the policy as it was recorded, however wrong', () => {
  expect(readCase({ id: 'x', policy: [], issues: [] })).toMatchObject({ policy: [], events: null });
});
