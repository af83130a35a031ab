import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { describeOutcome } from './outcome.ts';
import { compileProfiles } from './profiles.ts';

const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');
const text = (value: string): unknown => [{ type: 'text', text: value }];

describe("outcomes of the user's own tools", () => {
  const profiles = compileProfiles({
    version: '1',
    tools: {
      build: { volatile: ['durationMs', 'text'] },
      lookup: { ignoreText: true },
      mail: { send: true, volatile: ['trace'] },
      chat: { send: { field: 'op', values: ['post'] } },
      exec: { volatile: ['pid'] },
    },
  });
  const own = (tool: string, result: unknown, args?: unknown) =>
    describeOutcome({ tool, args, result }, profiles, sha256).digest;

  it('leaves volatile fields out of details at every depth, never out of the visible text', () => {
    const built = (durationMs: number, visible: string) =>
      own('build', { content: text(visible), details: { steps: [{ durationMs, text: durationMs }] } });
    expect(built(1, 'ok')).toBe(built(2, 'ok'));
    expect(built(1, 'ok')).not.toBe(built(1, 'failed'));
  });

  it('compares details alone where the text is to be ignored', () => {
    expect(own('lookup', { content: text('a'), details: { n: 1 } })).toBe(
      own('lookup', { content: text('b'), details: { n: 1 } }),
    );
    expect(own('lookup', { details: { n: 1 } })).not.toBe(own('lookup', { details: { n: 2 } }));
  });

  it('compares sends as sends', () => {
    expect(own('mail', { details: { messageId: 1, trace: 1 } })).toBe(
      own('mail', { details: { messageId: 2, trace: 2 } }),
    );
    expect(own('chat', { details: { ts: 1 } }, { op: 'post' })).toBe(
      own('chat', { details: { ts: 2 } }, { op: 'post' }),
    );
    expect(own('chat', { details: { ts: 1 } }, {})).not.toBe(own('chat', { details: { ts: 2 } }, {}));
  });

  it('take the place of the shipped entry of that name', () => {
    const ran = (pid: number, tail: string) =>
      own('exec', { details: { status: 'running', tail, pid, cwd: tail } });
    expect(ran(1, 'a')).toBe(ran(2, 'a'));
    expect(own('exec', { details: { status: 'running', cwd: 'a' } })).not.toBe(
      own('exec', { details: { status: 'running', cwd: 'b' } }),
    );
  });
});
