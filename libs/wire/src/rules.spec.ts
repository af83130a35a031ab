import type { Attach, LoopEvent, OperatorRelease, PolicyApplied, ToolResult } from '@loopwarden/detection';
import { describe, expect, it } from 'vitest';
import { createEmbeddedCodec } from './codec.ts';
import { eventBreach } from './rules.ts';

const codec = createEmbeddedCodec();
const DIGEST = '0'.repeat(32);
const BASE = {
  runId: 'run',
  agentId: null,
  sessionId: null,
  gatewayId: 'gw',
  source: 'gw-1',
  sequence: 1,
  observedAt: 0,
};
const attach = (fields: Partial<Attach>): LoopEvent => ({ ...BASE, type: 'attach', ...fields });
const result = (fields: Partial<ToolResult>): LoopEvent => ({
  ...BASE,
  type: 'tool_result',
  callId: 'c',
  tool: 't',
  args: DIGEST,
  poll: false,
  outcome: 'result',
  digest: DIGEST,
  missingTool: null,
  verdict: null,
  seen: null,
  durationMs: null,
  profiles: '1',
  keyId: null,
  payload: null,
  ...fields,
});
const release = (fields: Partial<OperatorRelease>): LoopEvent => ({
  ...BASE,
  gatewayId: 'operator',
  type: 'release',
  match: null,
  epoch: null,
  actor: 'ana',
  reason: '',
  ...fields,
});
const policy = (fields: Partial<PolicyApplied>): LoopEvent => ({
  ...BASE,
  runId: '*',
  gatewayId: 'operator',
  source: 'policy',
  sequence: 0,
  type: 'policy',
  revision: 0,
  policy: '{}',
  actor: 'ana',
  reason: '',
  ...fields,
});

describe('an event is refused', () => {
  it.each<[string, LoopEvent, string]>([
    ['without a run', attach({ runId: '' }), 'blank_run_id'],
    ['of a blank run', attach({ runId: ' \u00a0\n' }), 'blank_run_id'],
    ['of a run id of 257 bytes', attach({ runId: 'x'.repeat(257) }), 'long_run_id'],
    ['of a run id of 86 letters but 258 bytes', attach({ runId: '€'.repeat(86) }), 'long_run_id'],
    ['of a run id that is no UTF-8', attach({ runId: 'run\ud800' }), 'garbled_run_id'],
    ['with sequence 0', attach({ sequence: 0 }), 'bad_sequence'],
    ['with a negative sequence', attach({ sequence: -1 }), 'bad_sequence'],
    ['of a result without digest', result({ digest: null }), 'missing_digest'],
    ['of an error without digest', result({ outcome: 'error', digest: null }), 'missing_digest'],
    [
      'of a veto that names no arguments',
      result({ outcome: 'vetoed', digest: null, args: null }),
      'missing_args',
    ],
    ['of an operator, written by a gateway', release({ gatewayId: 'gw' }), 'not_operator'],
    [
      'of a release of a signature without arguments',
      release({ match: { scope: 'signature', tool: 't', args: null } }),
      'incomplete_match',
    ],
    [
      'of a release of a tool without its name',
      release({ match: { scope: 'tool', tool: null, args: null } }),
      'incomplete_match',
    ],
    ['of a policy in a run', policy({ runId: 'run' }), 'misplaced_policy'],
    ['of a policy of another source', policy({ source: 'gw-1' }), 'misplaced_policy'],
    ['of a policy whose number is not its revision', policy({ sequence: 2 }), 'misplaced_policy'],
    ['of a policy of revision -1', policy({ sequence: -1, revision: -1 }), 'misplaced_policy'],
    ['of a policy, written by a gateway', policy({ gatewayId: 'gw' }), 'not_operator'],
  ])('%s', (_, event, code) => {
    expect(codec.decodeEvent(codec.encodeEvent(event))).toMatchObject({ ok: false, code });
  });
});

describe('an event is good', () => {
  it.each<[string, LoopEvent]>([
    ['of a run id of 256 bytes', attach({ runId: 'x'.repeat(256) })],
    ['of a run id of 85 letters and 255 bytes', attach({ runId: '€'.repeat(85) })],
    ['of a result whose arguments are found by call id', result({ args: null })],
    ['of a veto without outcome', result({ outcome: 'vetoed', digest: null })],
    ['of a call of which nothing came back', result({ outcome: 'none', digest: null, args: null })],
    ['of a release of an abort', release({ match: { scope: 'run', tool: null, args: null } })],
    ['of the first policy, whose revision is offset 0', policy({})],
  ])('%s', (_, event) => {
    expect(codec.decodeEvent(codec.encodeEvent(event))).toEqual({ ok: true, value: event });
    expect(eventBreach(event)).toBeNull();
  });
});

it('says before writing what readers would refuse', () => {
  expect(eventBreach(attach({ runId: ' ' }))).toEqual({
    code: 'blank_run_id',
    detail: 'the run id is blank; name the run',
  });
});
