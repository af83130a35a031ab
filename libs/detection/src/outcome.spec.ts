import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeOutcome, type RawOutcome } from './outcome.ts';
import { SHIPPED_PROFILES } from './profiles.ts';

const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');
const outcomeOf = (raw: RawOutcome) => describeOutcome(raw, SHIPPED_PROFILES, sha256);
const text = (value: string): unknown => [{ type: 'text', text: value }];

const POLL = { action: 'poll', sessionId: 's' };
const LOG = { action: 'log', sessionId: 's' };
const SEND = { action: 'send', to: 'u' };

/** Digest of a result of a tool; most rules say which results are equal. */
function resultDigest(tool: string, result: unknown, args: unknown = {}): string | null {
  return outcomeOf({ tool, args, result }).digest;
}

describe('describeOutcome: vectors of the reference', () => {
  it.each<[string, RawOutcome, string]>([
    ['text', { tool: 'read', result: { content: text('x'), details: {} } }, 'b14081d3f7073d75'],
    ['null', { tool: 'read', result: null }, '74234e98afe7498f'],
    ['a string', { tool: 'read', args: null, result: 'x' }, 'ba2df4903a2c14e8'],
    ['an error', { tool: 'read', args: {}, error: 'boom' }, '20b9458ca349a629'],
    ['an empty result', { tool: 'read', result: {} }, 'd945f533f0d17914'],
    [
      'exec completed',
      { tool: 'exec', result: { details: { status: 'completed', exitCode: 0, aggregated: 'out\n' } } },
      '4d4064c5959ad019',
    ],
    [
      'exec running',
      { tool: 'bash', result: { details: { status: 'running', tail: '50%' } } },
      '084aa20d55f2998d',
    ],
    [
      'exec waiting for approval',
      { tool: 'exec', result: { details: { status: 'approval-pending', host: 'node', command: 'ls' } } },
      '31bfa20c011b5e38',
    ],
    [
      'process poll',
      { tool: 'process', args: POLL, result: { content: text('t'), details: { status: 'running' } } },
      '3255d500fe1b5713',
    ],
    [
      'process poll without details',
      { tool: 'process', args: POLL, result: { content: text('t') } },
      'cf94ef15dfca9c28',
    ],
    [
      'process log',
      {
        tool: 'process',
        args: LOG,
        result: { content: text('t'), details: { status: 'running', totalLines: 3 } },
      },
      '85cee8f55a7f12c8',
    ],
    [
      'message send',
      {
        tool: 'message',
        args: SEND,
        result: { details: { ok: true, messageId: '1', message: { id: '9', text: 'hi', direction: 'out' } } },
      },
      'b5cb7f2afb2c74f0',
    ],
    [
      'sessions_send',
      { tool: 'sessions_send', args: {}, result: { details: { status: 'accepted', runId: 'r' } } },
      '0ba7c0356149946b',
    ],
  ])('%s', (_name, raw, start) => {
    expect(outcomeOf(raw).digest).toMatch(new RegExp(`^${start}[0-9a-f]{16}$`));
    expect(outcomeOf(raw).outcome).toBe(raw.error === undefined ? 'result' : 'error');
  });
});

describe('describeOutcome: errors', () => {
  it('let a result given as well go unseen', () => {
    expect(outcomeOf({ tool: 'read', error: 'boom', result: 1 })).toEqual(
      outcomeOf({ tool: 'read', error: 'boom' }),
    );
  });

  it.each([
    [new Error('boom'), 'boom'],
    [new TypeError(''), 'TypeError'],
    [404, '404'],
    [404n, '404'],
    [false, 'false'],
    [null, 'null'],
    [{ code: 1 }, '{"code":1}'],
  ])('%o equals the text %j', (error, same) => {
    expect(outcomeOf({ tool: 'read', error })).toEqual(outcomeOf({ tool: 'read', error: same }));
  });

  it('are compared by what a library put in place of the message', () => {
    const error = Object.assign(new Error('x'), { message: 42 });
    expect(outcomeOf({ tool: 'read', error })).toEqual(outcomeOf({ tool: 'read', error: 42 }));
  });

  it('name the missing tool, also out of a structured error, and only out of errors', () => {
    expect(outcomeOf({ tool: 'x', error: 'Unknown tool: X' }).missingTool).toBe('x');
    expect(outcomeOf({ tool: 'x', error: { message: 'Unknown tool: y' } }).missingTool).toBe('y');
    expect(outcomeOf({ tool: 'x', error: 'boom' }).missingTool).toBeNull();
    expect(outcomeOf({ tool: 'x', result: 'Unknown tool: x' }).missingTool).toBeNull();
  });
});

describe('describeOutcome: no outcome', () => {
  it('is none when neither result nor error came', () => {
    expect(outcomeOf({ tool: 'read' })).toEqual({ outcome: 'none', digest: null, missingTool: null });
  });

  it('is vetoed when a gateway reports the refusal of a loop; other refusals are results', () => {
    const refusal = (deniedReason: string): RawOutcome => ({
      tool: 'exec',
      result: { content: text('no'), details: { status: 'blocked', deniedReason } },
    });
    expect(outcomeOf(refusal('tool-loop'))).toEqual({ outcome: 'vetoed', digest: null, missingTool: null });
    expect(outcomeOf(refusal('plugin-before-tool-call')).outcome).toBe('result');
  });
});

describe('describeOutcome: any tool', () => {
  it('compares details and text, and no other field of the result', () => {
    const base = { content: text('x'), details: { n: 1 } };
    expect(resultDigest('read', { ...base, isError: true })).toBe(resultDigest('read', base));
    expect(resultDigest('read', { ...base, details: { n: 2 } })).not.toBe(resultDigest('read', base));
    expect(resultDigest('read', { ...base, content: text('y') })).not.toBe(resultDigest('read', base));
  });

  it('joins the text of parts of any type with line ends and trims the whole', () => {
    const parts = [
      { type: 'text', text: ' a' },
      { type: 'image' },
      { text: 'no type' },
      'b',
      { type: 'z', text: 'c ' },
    ];
    expect(resultDigest('read', { content: parts })).toBe(resultDigest('read', { content: text('a\nc') }));
    expect(resultDigest('read', { content: 'a' })).toBe(resultDigest('read', {}));
  });

  it('takes a changing duration as progress', () => {
    const lasting = (durationMs: number) =>
      resultDigest('read', { details: { status: 'completed', durationMs } });
    expect(lasting(1)).not.toBe(lasting(2));
  });

  it('compares a result that is no plain object as a whole', () => {
    expect(resultDigest('exec', [1])).toBe(sha256('[1]').slice(0, 32));
    expect(resultDigest('exec', 0)).toBe(sha256('0').slice(0, 32));
  });
});

describe('describeOutcome: exec', () => {
  const exec = (details: object, visible = '') => resultDigest('exec', { content: text(visible), details });

  it('sees the tail of a running command and nothing else', () => {
    const running = { status: 'running', tail: 'a', pid: 1, sessionId: 's' };
    expect(exec({ ...running, pid: 2, sessionId: 't' }, 'pid 2')).toBe(exec(running, 'pid 1'));
    expect(exec({ ...running, tail: 'b' })).not.toBe(exec(running));
    expect(exec({ status: 'running', tail: 5 })).toBe(exec({ status: 'running', tail: '' }));
  });

  it('sees status, exit code, time-out and output of an ended command', () => {
    const ended = {
      status: 'completed',
      exitCode: 0,
      timedOut: false,
      aggregated: 'out',
      durationMs: 5,
      cwd: '/a',
    };
    expect(exec({ ...ended, durationMs: 9, cwd: '/b' }, 'took 9 ms')).toBe(exec(ended, 'took 5 ms'));
    for (const change of [
      { status: 'failed' },
      { exitCode: 1 },
      { timedOut: true },
      { aggregated: 'other' },
    ]) {
      expect(exec({ ...ended, ...change })).not.toBe(exec(ended));
    }
    expect(exec({ ...ended, timedOut: 'true' })).toBe(exec(ended));
    expect(exec({ ...ended, exitCode: '0' })).toBe(exec({ ...ended, exitCode: null }));
  });

  it('falls back to the visible text when the output is blank', () => {
    const blank = { status: 'completed', exitCode: 0, aggregated: ' \n' };
    expect(exec(blank, 'out')).toBe(exec({ ...blank, aggregated: 'out' }, 'other'));
  });

  it('sees why an approval is needed, not its ids', () => {
    const pending = { status: 'approval-pending', host: 'h', command: 'ls', approvalId: 'a', expiresAtMs: 1 };
    expect(exec({ ...pending, approvalId: 'b', expiresAtMs: 2 }, 'id b')).toBe(exec(pending, 'id a'));
    expect(exec({ ...pending, status: 'approval-unavailable' })).not.toBe(exec(pending));
    for (const change of [{ warningText: 'w' }, { reason: 'r' }, { host: 'i' }, { command: 'rm' }]) {
      expect(exec({ ...pending, ...change })).not.toBe(exec(pending));
    }
  });

  it('compares other statuses like any tool', () => {
    expect(exec({ status: 'queued', pid: 1 })).not.toBe(exec({ status: 'queued', pid: 2 }));
    expect(exec({ status: 'queued' })).toBe(
      resultDigest('read', { content: text(''), details: { status: 'queued' } }),
    );
  });
});

describe('describeOutcome: process', () => {
  it('ignores fields that are not listed and reads missing ones as null, a missing status excepted', () => {
    const poll = (details: object) => resultDigest('process', { content: text('t'), details }, POLL);
    expect(poll({ status: 'running', pid: 1, exitCode: null })).toBe(poll({ status: 'running' }));
    expect(poll({ status: null })).not.toBe(poll({}));
    expect(poll({ status: 'running', aggregated: 'x' })).not.toBe(poll({ status: 'running' }));
  });

  it('sees the counters of a log', () => {
    const log = (details: object) => resultDigest('process', { content: text('t'), details }, LOG);
    expect(log({ totalChars: 2 })).not.toBe(log({ totalChars: 3 }));
    expect(log({ aggregated: 'x' })).toBe(log({}));
  });

  it('compares other actions like any tool', () => {
    const args = { action: 'write' };
    expect(resultDigest('process', { details: { pid: 1 } }, args)).not.toBe(
      resultDigest('process', { details: { pid: 2 } }, args),
    );
  });
});

describe('describeOutcome: any value', () => {
  it('has an identity, the same each time', () => {
    const anything = fc.anything({ withBigInt: true, withDate: true, withMap: true, withTypedArray: true });
    const tools = fc.constantFrom('read', 'exec', 'process', 'message', 'command_status');
    fc.assert(
      fc.property(fc.record({ tool: tools, args: anything, result: anything, error: anything }), (raw) => {
        expect(outcomeOf(raw)).toEqual(outcomeOf(raw));
      }),
    );
  });

  it('falls back to the whole result when it cannot be taken apart', () => {
    const result = {
      get details(): never {
        throw new Error('no');
      },
    };
    expect(resultDigest('read', result)).toBe(sha256('{"details":"[Unreadable]"}').slice(0, 32));
  });
});
