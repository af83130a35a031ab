import { expect, test } from 'vitest';
import { claudeCode } from './claude-code.ts';
import { eventsOf, told } from './given.ts';

const COMMON = { sessionId: 's', isSidechain: false, timestamp: '2026-01-01T00:00:00Z' };
const user = (content: unknown, fields: object = {}) => ({
  ...COMMON,
  type: 'user',
  message: { role: 'user', content },
  ...fields,
});
const asks = (id: string, fields: object = {}) => ({
  ...COMMON,
  type: 'assistant',
  message: { role: 'assistant', content: [{ type: 'tool_use', id, name: 'Read', input: { path: id } }] },
  ...fields,
});
const says = { ...COMMON, type: 'assistant', message: { content: [{ type: 'text', text: 'done' }] } };
const result = (id: string, fields: object = {}) =>
  user([{ type: 'tool_result', tool_use_id: id, content: 'text', ...fields }]);
const boundary = (trigger: string) => ({
  ...COMMON,
  type: 'system',
  subtype: 'compact_boundary',
  compactMetadata: { trigger },
});
const SUMMARY = user('This session is being continued', { isCompactSummary: true });

test('tool results are no prompts, prompts begin runs', () => {
  const events = eventsOf(claudeCode, [user('a'), asks('1'), result('1'), says, user('b'), asks('2')]);
  expect(told(events)).toEqual([
    's#1 tool_call Read',
    's#1 tool_result Read',
    's#1 run_end completed',
    's#2 tool_call Read',
    's#2 run_end completed',
  ]);
});

test('a compaction by itself within a run is told once and goes on with it', () => {
  const events = eventsOf(claudeCode, [
    user('a'),
    asks('1'),
    result('1'),
    boundary('auto'),
    SUMMARY,
    asks('2'),
  ]);
  expect(told(events).slice(2, 4)).toEqual(['s#1 compaction true', 's#1 tool_call Read']);
});

test('a compaction by hand goes on with nothing, and its summary neither', () => {
  const events = eventsOf(claudeCode, [user('a'), asks('1'), result('1'), boundary('manual'), SUMMARY]);
  expect(told(events).slice(2)).toEqual(['s#1 compaction false', 's#1 run_end completed']);
});

test('a summary without a boundary, as older versions write it, is a compaction', () => {
  const events = eventsOf(claudeCode, [user('a'), asks('1'), result('1'), SUMMARY, asks('2')]);
  expect(told(events)[2]).toBe('s#1 compaction true');
});

test('side chains are runs of their own, by agent or by their first line', () => {
  const named = { isSidechain: true, agentId: 'explore' };
  const old = { isSidechain: true, uuid: 'u1', parentUuid: null };
  const next = { isSidechain: true, uuid: 'u2', parentUuid: 'u1' };
  const events = eventsOf(claudeCode, [user('a'), asks('1', named), user('task', old), asks('2', next)]);
  expect(told(events).slice(0, 2)).toEqual(['s/explore#1 tool_call Read', 's/u1#1 tool_call Read']);
  expect(events[0]).toMatchObject({ agentId: 'explore', sessionId: 's' });
});

test('what the host writes in the name of the user is no prompt', () => {
  const notes = [user('<local-command-stdout>x</local-command-stdout>'), user('hook', { isMeta: true })];
  const events = eventsOf(claudeCode, [user('a'), asks('1'), result('1'), ...notes, asks('2')]);
  expect(told(events)[2]).toBe('s#1 tool_call Read');
});

test('an interruption ends the run', () => {
  const events = eventsOf(claudeCode, [
    user('a'),
    asks('1'),
    user('[Request interrupted by user for tool use]'),
  ]);
  expect(told(events)[1]).toBe('s#1 run_end aborted');
});

test('errors are errors, and a missing tool is told in words that detection knows', () => {
  const failed = result('1', { is_error: true, content: 'Exit code 1' });
  const text = '<tool_use_error>Error: No such tool available: Serach</tool_use_error>';
  const missing = result('2', { is_error: true, content: text });
  const events = eventsOf(claudeCode, [user('a'), asks('1'), asks('2'), failed, missing]);
  expect(events.slice(2, 4)).toMatchObject([{ error: 'Exit code 1' }, { error: 'unknown tool: Serach' }]);
});

test('two different images are two different results', () => {
  const image = (data: string) => [{ type: 'image', source: { type: 'base64', data } }];
  const events = eventsOf(claudeCode, [
    user('a'),
    asks('1'),
    result('1', { content: image('A') }),
    asks('2'),
    result('2', { content: image('B') }),
  ]);
  expect(events[1]?.result).not.toEqual(events[3]?.result);
});
