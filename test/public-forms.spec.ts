import { readFileSync } from 'node:fs';
import { checkPolicy, type PublicEvent, readPublicEvent, SHIPPED_PROFILES } from '@loopwarden/detection';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const readText = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');
const readCases = (file: string) =>
  readText(`./conformance/${file}`)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
const schema = (name: string) =>
  new Ajv2020({ allowUnionTypes: true, strictTypes: false }).compile(
    JSON.parse(readText(`../schemas/${name}.schema.json`)),
  );

const policySchema = schema('policy');
const eventSchema = schema('public-event');

const isEvent = (json: unknown): boolean =>
  readPublicEvent(json, {
    hash: () => '0'.repeat(32),
    profiles: SHIPPED_PROFILES,
    keyId: null,
    defaults: { source: 's', sequence: 1, gatewayId: 'g', observedAt: 0 },
  }).ok;

describe('conformance cases', () => {
  it.each(readCases('policies.jsonl'))('$id', ({ policy, issues }) => {
    const found = checkPolicy(policy).issues.map(({ message, ...issue }) => issue);
    expect(found).toEqual(issues);
  });

  it('there are sixteen of policies', () => {
    expect(readCases('policies.jsonl')).toHaveLength(16);
  });

  it.each(['verdicts.jsonl', 'lifecycle.jsonl'])('every event of %s is in the public form', (file) => {
    const events = readCases(file).flatMap(({ events }) => events);
    expect(events.filter((event) => !isEvent(event))).toEqual([]);
    expect(events.filter((event) => !eventSchema(event))).toEqual([]);
  });
});

/** Values that are right for one field or another, and values that are right for none. */
const oddValue = fc.constantFrom<unknown>(
  ...[null, true, false, 0, 1, -1, 1.5, 2 ** 53, 60_000, 60_001, 604_800_000],
  ...['', ' ', 'x', 'X ', '24h', '1', 'completed', '2026-07-01T12:00:00Z', 'x'.repeat(257), 'x'.repeat(5000)],
  ...[[], {}, ['a'], [1], { field: 'a', values: ['b'] }, { epoch: 1, sequence: 1 }, { windowSize: 0 }],
  ...[{ pingPong: true }, { pong: true }, { scope: 'run' }, { scope: 'tool' }, { scope: 'tool', tool: 't' }],
  ...[{ scope: 'signature', tool: 't', args: [] }, [{ epoch: 1, warning: 1, level: 1 }], [{ epoch: 1 }]],
);

/** One of the objects within a value, the value itself among them. */
function objectsIn(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value, ...Object.values(value).flatMap(objectsIn)];
}

/** A copy of one of the samples with one field somewhere set, replaced or taken out. */
function mutated(samples: readonly unknown[], fields: readonly string[]): fc.Arbitrary<unknown> {
  const change = fc.record({
    pick: fc.nat(),
    field: fc.constantFrom(...fields),
    value: fc.option(oddValue, { nil: undefined }),
  });
  return fc.tuple(fc.constantFrom(...samples), change).map(([sample, { pick, field, value }]) => {
    const copy = structuredClone(sample);
    const objects = objectsIn(copy);
    const target = objects[pick % objects.length] ?? {};
    const keys = Object.keys(target);
    const key = pick % 2 === 0 ? field : (keys[pick % keys.length] ?? field);
    if (value === undefined) Reflect.deleteProperty(target, key);
    else Reflect.set(target, key, structuredClone(value));
    return JSON.parse(JSON.stringify(copy)); // JSON is what both sides are given
  });
}

const BLOCK = {
  enabled: true,
  observe: false,
  historySize: 40,
  warningThreshold: 10,
  unknownToolThreshold: 4,
  criticalThreshold: 12,
  globalCircuitBreakerThreshold: 14,
  detectors: { genericRepeat: true, knownPollNoProgress: true, pingPong: true },
  postCompactionGuard: { windowSize: 4 },
};
const POLICY = {
  tools: { loopDetection: BLOCK, profile: 'coding' },
  agents: { list: [{ id: 'a', tools: { loopDetection: BLOCK } }, { id: 'b' }], defaults: {} },
  loopwarden: {
    idle: '2h',
    enforce: true,
    profiles: {
      version: '1',
      aliases: { sh: 'exec' },
      tools: {
        job: { poll: true, volatile: ['ts'] },
        chat: { send: { field: 'op', values: ['post'] }, ignoreText: true },
      },
    },
  },
};
const POLICY_FIELDS = [
  ...['tools', 'agents', 'list', 'id', 'loopwarden', 'loopDetection', 'extra', 'idle', 'enforce', 'profiles'],
  ...[
    'version',
    'aliases',
    'poll',
    'send',
    'volatile',
    'ignoreText',
    'field',
    'values',
    'Upper',
    ...Object.keys(BLOCK),
  ],
];

const ENVELOPE = {
  runId: 'r',
  agentId: 'a',
  sessionId: null,
  gatewayId: 'g',
  source: 's',
  sequence: 1,
  at: 5,
};
const CALL = { ...ENVELOPE, callId: 'c', tool: 'read', args: { a: [1] } };
const EVENTS: readonly PublicEvent[] = [
  { ...ENVELOPE, type: 'attach', at: '2026-07-01T12:00:00Z' },
  { ...CALL, type: 'tool_call', delivered: [{ epoch: 1, warning: 1, level: 1 }] },
  {
    ...CALL,
    type: 'tool_result',
    result: {},
    error: 'e',
    durationMs: 1.5,
    verdict: { epoch: 1, sequence: 1 },
  },
  { ...ENVELOPE, type: 'compaction', retry: false },
  { ...ENVELOPE, type: 'run_end', status: 'failed', verdict: null },
  {
    ...ENVELOPE,
    type: 'release',
    match: { scope: 'signature', tool: 't', args: null },
    epoch: 1,
    actor: 'o',
    reason: 'r',
  },
  { type: 'policy', policy: {}, actor: 'o', reason: 'r' },
];
const EVENT_FIELDS = [
  ...[
    'type',
    'runId',
    'agentId',
    'sessionId',
    'gatewayId',
    'source',
    'sequence',
    'at',
    'callId',
    'tool',
    'args',
  ],
  ...[
    'result',
    'error',
    'durationMs',
    'delivered',
    'verdict',
    'retry',
    'status',
    'policy',
    'match',
    'epoch',
    'extra',
  ],
];

describe('the published JSON Schemas', () => {
  it('take the samples', () => {
    expect(policySchema(POLICY)).toBe(true);
    expect(checkPolicy(POLICY).issues).toEqual([]);
    for (const event of EVENTS)
      expect([event.type, eventSchema(event), isEvent(event)]).toEqual([event.type, true, true]);
  });

  it('refuse the policies that the check refuses, except for what they say they cannot express', () => {
    const beyondSchema = ({ path, kind, message }: { path: string; kind: string; message: string }) =>
      kind === 'order' || path === 'loopwarden.idle' || message.includes('not another alias');
    fc.assert(
      fc.property(mutated([POLICY], POLICY_FIELDS), (policy) => {
        const issues = checkPolicy(policy).issues.filter((issue) => !beyondSchema(issue));
        const accepted = policySchema(policy);
        const idleOnly =
          issues.length === 0 &&
          policySchema.errors?.every(({ instancePath }) => instancePath.startsWith('/loopwarden/idle'));
        expect([policy, accepted || idleOnly === true]).toEqual([policy, issues.length === 0]);
      }),
      { numRuns: 1000 },
    );
  });

  it('refuse exactly the events that the reader refuses', () => {
    fc.assert(
      fc.property(mutated(EVENTS, EVENT_FIELDS), (event) => {
        expect([event, eventSchema(event)]).toEqual([event, isEvent(event)]);
      }),
      { numRuns: 2000 },
    );
  });
});
