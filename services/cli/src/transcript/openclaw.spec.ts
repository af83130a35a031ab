import { expect, test } from 'vitest';
import { eventsOf, told } from './given.ts';
import { openclaw } from './openclaw.ts';

const SESSION = { type: 'session', version: 3, id: 's', timestamp: '2026-01-01T00:00:00Z' };
const message = (message: object) => ({ type: 'message', timestamp: '2026-01-01T00:00:01Z', message });
const user = (text: string) => message({ role: 'user', content: [{ type: 'text', text }] });
const asks = (...ids: string[]) =>
  message({
    role: 'assistant',
    stopReason: 'toolUse',
    content: ids.map((id) => ({ type: 'toolCall', id, name: 'exec', arguments: { command: id } })),
  });
const says = (stopReason = 'stop') =>
  message({ role: 'assistant', stopReason, content: [{ type: 'text', text: 'done' }] });
const result = (toolCallId: string, fields: object = {}) =>
  message({ role: 'toolResult', toolCallId, toolName: 'exec', content: [], isError: false, ...fields });
const COMPACTION = { type: 'compaction', timestamp: '2026-01-01T00:00:02Z', summary: '…' };

test('a prompt begins a run, the next prompt another', () => {
  const lines = [SESSION, user('a'), asks('1'), result('1'), says(), user('b'), asks('2'), result('2')];
  expect(told(eventsOf(openclaw, lines))).toEqual([
    's#1 tool_call exec',
    's#1 tool_result exec',
    's#1 run_end completed',
    's#2 tool_call exec',
    's#2 tool_result exec',
    's#2 run_end completed',
  ]);
});

test('a compaction within a run goes on with it, also when the host sends the prompt again', () => {
  const lines = [SESSION, user('a'), asks('1'), result('1'), COMPACTION, user('a'), asks('2'), result('2')];
  expect(told(eventsOf(openclaw, lines)).slice(2, 4)).toEqual(['s#1 compaction true', 's#1 tool_call exec']);
});

test('a compaction after the answer is between runs', () => {
  const lines = [SESSION, user('a'), asks('1'), result('1'), says(), COMPACTION, user('a'), asks('2')];
  expect(told(eventsOf(openclaw, lines)).slice(2, 5)).toEqual([
    's#1 compaction false',
    's#1 run_end completed',
    's#2 tool_call exec',
  ]);
});

test('an attempt that failed is not the end of its run', () => {
  const lines = [SESSION, user('a'), asks('1'), result('1'), says('error'), COMPACTION, user('a'), asks('2')];
  expect(told(eventsOf(openclaw, lines))[2]).toBe('s#1 compaction true');
});

test('a call that was refused did not run: only its veto is told, with what it asked for', () => {
  const veto = { details: { status: 'blocked', deniedReason: 'tool-loop' } };
  const events = eventsOf(openclaw, [SESSION, user('a'), asks('1', '2'), result('1', veto), result('2')]);
  expect(told(events)).toEqual([
    's#1 tool_call exec',
    's#1 tool_result exec',
    's#1 tool_result exec',
    's#1 run_end completed',
  ]);
  expect(events[0]).toMatchObject({ callId: '2' });
  expect(events[1]).toMatchObject({ callId: '1', args: { command: '1' }, result: veto });
});

test('a tool that threw is an error with its text; a failed command keeps its details', () => {
  const threw = { isError: true, details: { status: 'error', tool: 'exec', error: 'no such file' } };
  const failed = { isError: true, details: { status: 'failed', exitCode: 1, durationMs: 3 } };
  const missing = { isError: true, content: [{ type: 'text', text: 'Tool exec not found' }] };
  const lines = [SESSION, user('a'), asks('1', '2', '3')];
  const results = [result('1', threw), result('2', failed), result('3', missing)];
  expect(eventsOf(openclaw, [...lines, ...results]).slice(3, 6)).toMatchObject([
    { error: 'no such file' },
    { result: { details: failed.details } },
    { error: 'Tool exec not found' },
  ]);
});

test('the agent is named by the folder of its sessions', () => {
  const path = '/home/me/.openclaw/agents/coder/sessions/s.jsonl';
  const reader = openclaw.open({ path, claim: (session) => session });
  for (const line of [SESSION, user('a'), asks('1')]) reader.read(line);
  expect(reader.end()[0]).toMatchObject({ runId: 's#1', agentId: 'coder', sessionId: 's' });
});

test('a transcript that lost its first line is named after its file', () => {
  expect(told(eventsOf(openclaw, [user('a'), asks('1'), result('1')]))[0]).toBe('x#1 tool_call exec');
});
