import { expect, test } from 'vitest';
import { codex } from './codex.ts';
import { codexOutcome } from './codex-outcome.ts';
import { eventsOf, told } from './given.ts';

const line = (type: string, payload: object) => ({ timestamp: '2026-01-01T00:00:00Z', type, payload });
const META = line('session_meta', { id: 's', cwd: '/w' });
const item = (payload: object) => line('response_item', payload);
const asks = (call_id: string, args = '{"command":["ls"]}') =>
  item({ type: 'function_call', name: 'shell', call_id, arguments: args });
const result = (call_id: string, output: unknown = 'x') =>
  item({ type: 'function_call_output', call_id, output });
const prompt = (message: string) => line('event_msg', { type: 'user_message', message });
const SAYS = item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'done' }] });
const COMPACTED = line('compacted', { message: 'summary' });

test('prompts begin runs; instructions and context that the host adds do not', () => {
  const context = item({
    type: 'message',
    role: 'user',
    content: [{ type: 'input_text', text: '<environment_context>…</environment_context>' }],
  });
  const lines = [
    META,
    context,
    prompt('a'),
    asks('1'),
    result('1'),
    context,
    asks('2'),
    SAYS,
    prompt('b'),
    asks('3'),
  ];
  expect(told(eventsOf(codex, lines)).filter((word) => word.includes('tool_call'))).toEqual([
    's#1 tool_call shell',
    's#1 tool_call shell',
    's#2 tool_call shell',
  ]);
});

test('a compaction within a run goes on with it, one after the answer does not', () => {
  const within = eventsOf(codex, [META, prompt('a'), asks('1'), result('1'), COMPACTED, asks('2')]);
  expect(told(within)[2]).toBe('s#1 compaction true');
  const between = eventsOf(codex, [META, prompt('a'), asks('1'), result('1'), SAYS, COMPACTED]);
  expect(told(between)[2]).toBe('s#1 compaction false');
});

test('arguments are parsed, and stay text where they cannot be', () => {
  const events = eventsOf(codex, [META, asks('1'), asks('2', '{"command"')]);
  expect(events.slice(0, 2)).toMatchObject([{ args: { command: ['ls'] } }, { args: '{"command"' }]);
});

test('every kind of call is told with its result', () => {
  const lines = [
    META,
    item({ type: 'custom_tool_call', name: 'apply_patch', call_id: '1', input: '*** Begin Patch' }),
    item({ type: 'custom_tool_call_output', call_id: '1', output: 'ok' }),
    item({ type: 'local_shell_call', call_id: '2', action: { type: 'exec', command: ['ls'] } }),
    item({ type: 'function_call_output', call_id: '2', output: 'ok' }),
  ];
  expect(told(eventsOf(codex, lines)).slice(0, 4)).toEqual([
    's#1 tool_call apply_patch',
    's#1 tool_result apply_patch',
    's#1 tool_call local_shell',
    's#1 tool_result local_shell',
  ]);
});

test('a fork repeats the first lines of its origin: the rollout keeps its own name', () => {
  const events = eventsOf(codex, [META, line('session_meta', { id: 'origin' }), asks('1')]);
  expect(told(events)[0]).toBe('s#1 tool_call shell');
});

test('two executions that differ in duration alone are equal', () => {
  const json = (seconds: number) =>
    JSON.stringify({ output: 'clean', metadata: { exit_code: 0, duration_seconds: seconds } });
  expect(codexOutcome(json(0.1))).toEqual(codexOutcome(json(0.7)));
  const text = (seconds: number) => `Exit code: 0\nWall time: ${seconds} seconds\nOutput:\nclean`;
  expect(codexOutcome(text(0.1))).toEqual(codexOutcome(text(0.7)));
});

test('exit code and output tell two executions apart, also where the output looks like a head', () => {
  const json = (exit_code: number) => JSON.stringify({ output: 'clean', metadata: { exit_code } });
  expect(codexOutcome(json(0))).not.toEqual(codexOutcome(json(1)));
  const text = (body: string) => `Exit code: 0\nOutput:\nWall time: ${body}`;
  expect(codexOutcome(text('1'))).not.toEqual(codexOutcome(text('2')));
});

test('a tool that Codex does not have is told in words that detection knows', () => {
  expect(codexOutcome('unsupported call: serach')).toEqual({ error: 'unknown tool: serach' });
});
