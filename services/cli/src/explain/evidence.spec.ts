import type { ExplainedRecord, ToolCall, ToolResult, Verdict } from '@loopwarden/detection';
import { describe, expect, it } from 'vitest';
import { evidenceOf, type HeardCall } from './evidence.ts';

const A = { tool: 'read', args: 'a' };
const B = { tool: 'list', args: 'b' };

function call(offset: number, of = A, callId: string | null = null): HeardCall {
  return { offset, at: offset, event: { type: 'tool_call', ...of, callId } as ToolCall };
}

function result(offset: number, of = A, callId: string | null = null): HeardCall {
  const event = { type: 'tool_result', ...of, callId, outcome: 'result', digest: 'x' } as ToolResult;
  return { offset, at: offset, event };
}

function record(of = A, callId: string | null = null, outcome: string | null = 'result:x'): ExplainedRecord {
  return { ...of, callId, poll: false, outcome };
}

function verdict(fields: Partial<Verdict> = {}): Verdict {
  const match = { scope: 'signature', ...A } as const;
  return { action: 'block', detector: 'generic_repeat', count: 2, match, ...fields } as Verdict;
}

/** Call, result and whether it counts, a line each. */
function placed(of: Verdict, window: readonly ExplainedRecord[], heard: readonly HeardCall[]): string[] {
  return evidenceOf(of, window, heard).map(
    ({ call: made, result: came, counts }) =>
      `${made?.offset ?? '–'} ${came?.offset ?? '–'}${counts ? ' *' : ''}`,
  );
}

describe('the events behind a window', () => {
  it('are the newest that fit, in order', () => {
    const heard = [call(1), result(2), call(3), result(4), call(5, B), result(6, B), call(7), result(8)];
    expect(placed(verdict(), [record(), record(B), record()], heard)).toEqual(['3 4 *', '5 6', '7 8 *']);
  });

  it('of calls side by side are told apart by their ids', () => {
    const heard = [call(1, A, 'c1'), call(2, A, 'c2'), result(3, A, 'c1'), result(4, A, 'c2')];
    expect(placed(verdict(), [record(A, 'c1'), record(A, 'c2')], heard)).toEqual(['1 3 *', '2 4 *']);
  });

  it('without ids fill the newest call first', () => {
    const heard = [call(1), call(2), result(3), result(4)];
    expect(placed(verdict(), [record(), record()], heard)).toEqual(['1 4 *', '2 3 *']);
  });

  it('may be a result whose call is unknown, and a call without a result', () => {
    const heard = [result(1), call(2), result(3), call(4)];
    const window = [record(), record(), record(A, null, null)];
    expect(placed(verdict(), window, heard)).toEqual(['– 1 *', '2 3 *', '4 –']);
  });
});

describe('what a verdict rests on', () => {
  const heard: readonly HeardCall[] = [];
  const window = [record(B), record(), record(B), record(), record(B, null, null)];

  it('is, for a warning of repetition, every call of the signature', () => {
    const warn = verdict({ action: 'warn', match: { scope: 'signature', ...B }, count: 3 });
    expect(placed(warn, window, heard).map((line) => line.endsWith('*'))).toEqual([
      true,
      false,
      true,
      false,
      true,
    ]);
  });

  it('is, for a ping-pong, the end of the window that alternates', () => {
    const pingPong = verdict({ detector: 'ping_pong', count: 4 });
    expect(placed(pingPong, window, heard).map((line) => line.endsWith('*'))).toEqual([
      false,
      false,
      true,
      true,
      true,
    ]);
  });

  it('is nothing for a withdrawal', () => {
    expect(placed(verdict({ action: 'release', count: 0 }), window, heard).join()).not.toContain('*');
  });
});
