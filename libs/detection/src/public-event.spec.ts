import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonical } from './canonical.ts';
import { compileProfiles, SHIPPED_PROFILES } from './profiles.ts';
import { type PublicEventContext, readPublicEvent } from './public-event.ts';

const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');
const digestOf = (value: unknown): string => sha256(canonical(value)).slice(0, 32);

const CONTEXT: PublicEventContext = {
  hash: sha256,
  profiles: SHIPPED_PROFILES,
  keyId: null,
  defaults: { source: 'reader-1', sequence: 7, gatewayId: 'gw', observedAt: 99 },
};

function read(json: unknown, context = CONTEXT) {
  const found = readPublicEvent(json, context);
  if (!found.ok) throw new Error(`${found.code}: ${found.detail}`);
  return found;
}
const eventOf = (json: unknown, context = CONTEXT) => read(json, context).event;
const refusalOf = (json: unknown): string => {
  const found = readPublicEvent(json, CONTEXT);
  return found.ok ? 'accepted' : found.code;
};

const CALL = { type: 'tool_call', runId: 'r', tool: 'Bash', args: { command: 'ls' } };
const RESULT = { ...CALL, type: 'tool_result' };

describe('readPublicEvent', () => {
  it('makes a call: identity, defaults and nothing of the arguments', () => {
    expect(eventOf(CALL)).toEqual({
      type: 'tool_call',
      runId: 'r',
      agentId: null,
      sessionId: null,
      gatewayId: 'gw',
      source: 'reader-1',
      sequence: 7,
      observedAt: 99,
      callId: null,
      tool: 'exec',
      args: digestOf({ command: 'ls' }),
      poll: false,
      delivered: [],
      seen: null,
      despite: null,
      profiles: 'openclaw-2026.7',
      keyId: null,
      payload: null,
    });
  });

  it('takes what the event says over the defaults', () => {
    const said = { agentId: 'a', sessionId: 's', gatewayId: 'g', source: 'src', sequence: 3, callId: 'c1' };
    const delivered = [{ epoch: 1, warning: 2, level: 1 }];
    expect(eventOf({ ...CALL, ...said, delivered })).toMatchObject({ ...said, delivered });
  });

  it.each([
    [1_764_500_001_645, 1_764_500_001_645],
    ['2025-11-30T10:53:21.645Z', 1_764_500_001_645],
    [0, 0],
  ])('reads the time %j', (at, ms) => {
    expect(read({ ...CALL, at })).toMatchObject({ at: ms, event: { observedAt: ms } });
    expect(read(CALL).at).toBeNull();
  });

  it('tells missing arguments from null', () => {
    const { args, ...bare } = CALL;
    expect(eventOf(bare)).toMatchObject({ args: digestOf(undefined) });
    expect(eventOf({ ...CALL, args: null })).toMatchObject({ args: digestOf(null) });
    expect(digestOf(undefined)).not.toBe(digestOf(null));
  });

  it.each([undefined, null, '', '  '])('reads the call id %j as none', (callId) => {
    expect(eventOf({ ...CALL, callId })).toMatchObject({ callId: null });
  });

  it('makes results, errors and nothing out of what came back', () => {
    expect(eventOf({ ...RESULT, result: 'x', durationMs: 1.6 })).toMatchObject({
      type: 'tool_result',
      args: digestOf({ command: 'ls' }),
      outcome: 'result',
      digest: digestOf('x'),
      missingTool: null,
      durationMs: 2,
    });
    expect(eventOf({ ...RESULT, error: 'Unknown tool: X' })).toMatchObject({
      outcome: 'error',
      missingTool: 'x',
    });
    expect(eventOf(RESULT)).toMatchObject({ outcome: 'none', digest: null });
    expect(eventOf({ ...RESULT, result: null })).toMatchObject({ outcome: 'result', digest: digestOf(null) });
  });

  it('makes a veto, with its arguments and the verdict that it obeyed', () => {
    const result = { details: { status: 'blocked', deniedReason: 'tool-loop' } };
    const verdict = { epoch: 5, sequence: 2 };
    expect(eventOf({ ...RESULT, result, verdict })).toMatchObject({
      outcome: 'vetoed',
      digest: null,
      args: digestOf({ command: 'ls' }),
      verdict,
    });
  });

  it('makes attach, compaction and run end', () => {
    expect(eventOf({ type: 'attach', runId: 'r' })).toMatchObject({ type: 'attach', runId: 'r' });
    expect(eventOf({ type: 'compaction', runId: 'r' })).toMatchObject({ type: 'compaction', retry: true });
    expect(eventOf({ type: 'compaction', runId: 'r', retry: false })).toMatchObject({ retry: false });
    expect(eventOf({ type: 'run_end', runId: 'r', status: 'failed' })).toMatchObject({
      status: 'failed',
      verdict: null,
    });
  });

  it('makes releases, whose plain arguments become a digest', () => {
    const release = { type: 'release', runId: 'r', actor: 'op', reason: 'why', agentId: 'a' };
    expect(eventOf(release)).toMatchObject({
      match: null,
      epoch: null,
      gatewayId: 'operator',
      agentId: null,
      actor: 'op',
    });
    const matchOf = (match: unknown) => Reflect.get(eventOf({ ...release, match }), 'match');
    expect(matchOf({ scope: 'run' })).toEqual({ scope: 'run', tool: null, args: null });
    expect(matchOf({ scope: 'tool', tool: 'BASH' })).toEqual({ scope: 'tool', tool: 'exec', args: null });
    expect(matchOf({ scope: 'signature', tool: 'read', args: { a: 1 } })).toEqual({
      scope: 'signature',
      tool: 'read',
      args: digestOf({ a: 1 }),
    });
    expect(matchOf({ scope: 'signature', tool: 'read' })).toMatchObject({ args: digestOf(undefined) });
  });

  it('makes policy events that belong to no run', () => {
    const policy = { tools: { loopDetection: { enabled: true } } };
    expect(eventOf({ type: 'policy', policy, sequence: 4, source: 'x', runId: 'r' })).toMatchObject({
      type: 'policy',
      runId: '*',
      source: 'policy',
      sequence: 4,
      revision: 4,
      gatewayId: 'operator',
      policy: JSON.stringify(policy),
    });
  });

  it('names profiles and key that the digests were made with', () => {
    const context = { ...CONTEXT, profiles: compileProfiles({ version: '2' }), keyId: 'k1' };
    expect(eventOf(CALL, context)).toMatchObject({ profiles: 'openclaw-2026.7+2', keyId: 'k1' });
  });
});

describe('readPublicEvent: refusals', () => {
  it.each([null, [], 'x', 5, undefined])('takes no %j for an event', (json) => {
    expect(refusalOf(json)).toBe('not_an_object');
  });

  it.each([undefined, null, 'toolCall', 'TOOL_CALL', 5])('knows no type %j', (type) => {
    expect(refusalOf({ ...CALL, type })).toBe('unknown_type');
  });

  it('refuses fields that the type does not have, lest a misspelling goes unseen', () => {
    expect(refusalOf({ ...CALL, arguments: {} })).toBe('unknown_field');
    expect(refusalOf({ ...CALL, result: 1 })).toBe('unknown_field');
    expect(refusalOf({ ...CALL, constructor: 1 })).toBe('unknown_field');
  });

  it.each([
    [{ type: 'attach' }],
    [{ type: 'tool_call', runId: 'r' }],
    [{ type: 'tool_result', tool: 't' }],
    [{ type: 'run_end', runId: 'r' }],
    [{ type: 'policy' }],
  ])('misses a field in %j', (json) => {
    expect(refusalOf(json)).toBe('missing_field');
  });

  it.each<[string, unknown]>([
    ['runId', ''],
    ['runId', ' \t'],
    ['runId', 5],
    ['runId', null],
    ['runId', 'x'.repeat(257)],
    ['runId', 'é'.repeat(129)],
    ['runId', '\ud800'],
    ['agentId', ''],
    ['gatewayId', null],
    ['sequence', 0],
    ['sequence', 1.5],
    ['sequence', '1'],
    ['sequence', 2 ** 53],
    ['at', 'yesterday'],
    ['at', '2026-07-01T12:00:00'],
    ['at', -1],
    ['at', 1.5],
    ['at', Date.UTC(10_000, 0)],
    ['callId', 5],
    ['callId', 'x'.repeat(2049)],
    ['tool', null],
    ['tool', 'x'.repeat(257)],
    ['delivered', {}],
    ['delivered', [{ epoch: 1, warning: 1 }]],
    ['delivered', [{ epoch: 1, warning: 1, level: 1, more: 1 }]],
    ['delivered', [{ epoch: 1, warning: 1, level: 0 }]],
    ['delivered', [{ epoch: 1, warning: 0, level: 1 }]],
    ['delivered', new Array(65).fill({ epoch: 1, warning: 1, level: 1 })],
  ])('refuses %s = %j', (field, value) => {
    const found = readPublicEvent({ ...CALL, [field]: value }, CONTEXT);
    expect(found).toMatchObject({
      ok: false,
      code: 'wrong_value',
      detail: expect.stringContaining(`${field} must be`),
    });
  });

  it.each<[object]>([
    [{ ...RESULT, durationMs: -1 }],
    [{ ...RESULT, durationMs: '5' }],
    [{ ...RESULT, verdict: { epoch: 1 } }],
    [{ ...RESULT, verdict: 'r/1.2' }],
    [{ type: 'compaction', runId: 'r', retry: 'no' }],
    [{ type: 'run_end', runId: 'r', status: 'done' }],
    [{ type: 'policy', policy: '{}' }],
    [{ type: 'policy', policy: { pad: 'x'.repeat(262_144) } }],
    [{ type: 'release', runId: 'r', match: { scope: 'signature' } }],
    [{ type: 'release', runId: 'r', match: { scope: 'tool' } }],
    [{ type: 'release', runId: 'r', match: { scope: 'tool', tool: 't', args: {} } }],
    [{ type: 'release', runId: 'r', match: { scope: 'all' } }],
    [{ type: 'release', runId: 'r', epoch: 'now' }],
    [{ type: 'release', runId: 'r', reason: 'x'.repeat(4097) }],
  ])('refuses %j', (json) => {
    expect(refusalOf(json)).toBe('wrong_value');
  });

  it('takes the longest run id that fits', () => {
    expect(refusalOf({ ...CALL, runId: 'é'.repeat(128) })).toBe('accepted');
  });

  it('survives any JSON', () => {
    const types = fc.constantFrom(
      'attach',
      'tool_call',
      'tool_result',
      'compaction',
      'run_end',
      'release',
      'policy',
    );
    fc.assert(
      fc.property(types, fc.jsonValue(), fc.jsonValue(), (type, one, two) => {
        for (const json of [
          one,
          { type, runId: one, match: two, policy: two },
          { ...CALL, args: one, delivered: two },
        ]) {
          expect(readPublicEvent(json, CONTEXT)).toHaveProperty('ok');
        }
      }),
    );
  });

  it('survives arguments and policies of any depth', () => {
    const deep = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`);
    expect(refusalOf({ ...CALL, args: deep })).toBe('accepted');
    expect(refusalOf({ type: 'policy', policy: { deep } })).toBe('wrong_value');
  });
});
