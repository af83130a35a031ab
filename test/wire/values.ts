import type {
  Action,
  Digest,
  EventBase,
  LoopEvent,
  Mark,
  Match,
  OperatorRelease,
  PolicyApplied,
  Ref,
  ReleaseReason,
  ToolCall,
  ToolResult,
  Verdict,
} from '@loopwarden/detection';
import type { DeadLetter, PolicyRevision, StateRecord } from '@loopwarden/wire';
import fc from 'fast-check';

// Any value of each type that the wire carries, and that keeps the rules of the wire.

const text = fc.string({ unit: 'grapheme', maxLength: 80 });
const nullable = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value, { nil: null });
/** Beyond 52 bits avsc, which specs compare with, loses the sign of a negative long. */
const long = fc.integer({ min: -(2 ** 52), max: 2 ** 52 });
const positive = fc.integer({ min: 1, max: 2 ** 52 });
const int = fc.integer();
const bytes = fc.uint8Array({ maxLength: 300 });
const digest: fc.Arbitrary<Digest> = fc
  .uint8Array({ minLength: 16, maxLength: 16 })
  .map((value) => Buffer.from(value).toString('hex'));
const ref: fc.Arbitrary<Ref> = fc.record({ epoch: long, sequence: int });
const runId = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
  .filter((id) => id.trim() !== '' && Buffer.byteLength(id) <= 256);
const callId = nullable(text.filter((id) => id.trim() !== ''));

const match: fc.Arbitrary<Match> = fc.oneof(
  fc.record({ scope: fc.constant('signature' as const), tool: text, args: digest }),
  fc.record({ scope: fc.constant('tool' as const), tool: text, args: fc.constant(null) }),
  fc.record({ scope: fc.constant('run' as const), tool: nullable(text), args: nullable(digest) }),
);

const base: { [K in keyof EventBase]: fc.Arbitrary<EventBase[K]> } = {
  runId,
  agentId: nullable(text),
  sessionId: nullable(text),
  gatewayId: text,
  source: text,
  sequence: positive,
  observedAt: long,
};
const handling = { profiles: text, keyId: nullable(text), payload: nullable(text) };

export const toolCall: fc.Arbitrary<ToolCall> = fc.record({
  ...base,
  type: fc.constant('tool_call' as const),
  callId,
  tool: text,
  args: digest,
  poll: fc.boolean(),
  delivered: fc.array(fc.record({ epoch: long, warning: int, level: int }), { maxLength: 5 }),
  seen: nullable(ref),
  despite: nullable(
    fc.record({
      epoch: long,
      sequence: int,
      why: fc.constantFrom('shadow' as const, 'stale', 'off', 'unstoppable'),
    }),
  ),
  ...handling,
});

export const toolResult: fc.Arbitrary<ToolResult> = fc.record({
  ...base,
  type: fc.constant('tool_result' as const),
  callId,
  tool: text,
  args: digest,
  poll: fc.boolean(),
  outcome: fc.constantFrom('result' as const, 'error', 'none', 'vetoed'),
  digest,
  missingTool: nullable(text),
  verdict: nullable(ref),
  seen: nullable(ref),
  durationMs: nullable(int),
  ...handling,
});

const release: fc.Arbitrary<OperatorRelease> = fc.record({
  ...base,
  gatewayId: fc.constant('operator'),
  type: fc.constant('release' as const),
  match: nullable(match),
  epoch: nullable(long),
  actor: text,
  reason: text,
});

const policyApplied: fc.Arbitrary<PolicyApplied> = fc.nat().chain((revision) =>
  fc.record({
    ...base,
    runId: fc.constant('*'),
    gatewayId: fc.constant('operator'),
    source: fc.constant('policy'),
    sequence: fc.constant(revision),
    type: fc.constant('policy' as const),
    revision: fc.constant(revision),
    policy: fc.json(),
    actor: text,
    reason: text,
  }),
);

export const event: fc.Arbitrary<LoopEvent> = fc.oneof(
  fc.record({ ...base, type: fc.constant('attach' as const) }),
  toolCall,
  toolResult,
  fc.record({ ...base, type: fc.constant('compaction' as const), retry: fc.boolean() }),
  fc.record({
    ...base,
    type: fc.constant('run_end' as const),
    status: fc.constantFrom('completed' as const, 'failed', 'aborted'),
    verdict: nullable(ref),
  }),
  release,
  policyApplied,
);

const ACTIONS: readonly Action[] = ['warn', 'block', 'abort', 'release'];
const REASONS: readonly ReleaseReason[] = [
  'delivered',
  'cleared',
  'policy',
  'operator',
  'aborted',
  'run_ended',
];

export const verdict: fc.Arbitrary<Verdict> = fc.record({
  runId,
  agentId: nullable(text),
  sessionId: nullable(text),
  gatewayId: text,
  epoch: long,
  sequence: fc.integer({ min: 1 }),
  action: fc.constantFrom(...ACTIONS),
  match,
  detector: text,
  count: int,
  threshold: int,
  level: int,
  warning: int,
  pairedTool: nullable(text),
  ends: nullable(int),
  reason: nullable(fc.constantFrom(...REASONS, 'expired' as const)),
  shadow: fc.boolean(),
  trigger: fc.record({ source: text, sequence: long }),
  at: long,
  policyRevision: long,
  profiles: text,
  engine: text,
  message: text,
});

export const mark: fc.Arbitrary<Mark> = fc.record({ partition: int, offset: long, end: long });

export const policyRevision: fc.Arbitrary<PolicyRevision> = fc.record({
  policy: fc.json(),
  actor: text,
  reason: text,
});

export const deadLetter: fc.Arbitrary<DeadLetter> = fc.record({
  topic: text,
  partition: int,
  offset: long,
  timestamp: long,
  code: text,
  detail: text,
  key: nullable(bytes),
  value: nullable(bytes),
});

export const stateRecord: fc.Arbitrary<StateRecord> = fc.oneof(
  fc.record({ type: fc.constant('chunk' as const), snapshot: text, index: int, bytes }),
  fc.record({
    type: fc.constant('manifest' as const),
    snapshot: text,
    partition: int,
    count: int,
    checksum: digest,
    coveredOffset: long,
    policyRevision: long,
    policy: text,
    format: int,
    engine: text,
    lineage: long,
    highestEpoch: long,
    highestForgottenEpoch: long,
    newestTimestamp: long,
  }),
);
