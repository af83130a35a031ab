import { generateKeyPairSync } from 'node:crypto';
import type { LoopEvent, OperatorRelease } from '@loopwarden/detection';
import { expect, it } from 'vitest';
import { createEmbeddedCodec } from './codec.ts';
import { readEventRecord } from './event-record.ts';
import { HEADERS } from './headers.ts';
import { signValue } from './signature.ts';

const codec = createEmbeddedCodec();
const pair = generateKeyPairSync('ed25519', {
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const KEYS = [{ keyId: 'ada', publicKeyPem: pair.publicKey, retiredFrom: null, since: null }];

const base = {
  agentId: null,
  sessionId: null,
  gatewayId: 'operator',
  observedAt: 0,
  actor: 'ada',
  reason: 'r',
};
const release: OperatorRelease = {
  ...base,
  type: 'release',
  runId: 'r',
  source: 'op',
  sequence: 1,
  match: null,
  epoch: null,
};

function policy(text: string): LoopEvent {
  return { ...base, type: 'policy', runId: '*', source: 'policy', sequence: 3, revision: 3, policy: text };
}

function read(event: LoopEvent, { headers = {}, keys = null as typeof KEYS | null } = {}) {
  return readEventRecord(codec, { value: codec.encodeEvent(event), headers, timestamp: 1 }, keys);
}

it('an operator is heard unsigned only where no keys are configured', () => {
  expect(read(release)).toEqual({ ok: true, value: release });
  expect(read(release, { keys: KEYS })).toMatchObject({ ok: false, code: 'unsigned' });
});

it('a signature of a known key is good for the very bytes that it signs', () => {
  const signature = signValue(codec.encodeEvent(release), { keyId: 'ada', privateKeyPem: pair.privateKey });
  const headers = { [HEADERS.signature]: signature };
  expect(read(release, { headers, keys: KEYS })).toMatchObject({ ok: true });
  expect(read({ ...release, reason: 'another' }, { headers, keys: KEYS })).toMatchObject({
    code: 'bad_signature',
  });
});

it('gateways sign nothing', () => {
  const attach: LoopEvent = {
    ...base,
    type: 'attach',
    runId: 'r',
    gatewayId: 'gw',
    source: 'gw-1',
    sequence: 1,
  };
  expect(read(attach, { keys: KEYS })).toMatchObject({ ok: true });
});

it('a policy that is no JSON object, and a record without a value, are none', () => {
  expect(read(policy('[]'))).toMatchObject({ ok: false, code: 'bad_policy' });
  expect(read(policy('{}'))).toMatchObject({ ok: true });
  expect(readEventRecord(codec, { value: null, headers: {}, timestamp: 1 }, null)).toMatchObject({
    code: 'no_value',
  });
});
