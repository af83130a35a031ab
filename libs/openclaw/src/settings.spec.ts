import { generateKeyPairSync } from 'node:crypto';
import { Ajv } from 'ajv';
import { expect, it } from 'vitest';
import manifest from '../openclaw.plugin.json' with { type: 'json' };
import { type PluginConfig, settingsOf } from './settings.ts';

const allows = new Ajv({ strict: false }).compile(manifest.configSchema);

const publicKeyPem = generateKeyPairSync('ed25519')
  .publicKey.export({ type: 'spki', format: 'pem' })
  .toString();

const KAFKA = {
  brokers: ['broker:9092'],
  clientId: 'claw',
  tls: { ca: 'PEM', verify: true },
  sasl: { mechanism: 'plain', username: 'claw', password: 'secret' },
  registry: { url: 'https://registry', auth: { username: 'claw', password: 'secret' } },
  schemaIds: '/etc/loopwarden/ids.json',
} as const;

const WHOLE: PluginConfig = {
  log: KAFKA,
  gatewayId: 'claw-1',
  prefix: 'loopwarden.',
  strict: { deadlineMs: 200, onDeadline: 'open' },
  onStale: 'open',
  onUnstoppable: { action: 'report', after: 2 },
  operatorKeys: [{ keyId: 'ada', publicKeyPem, retiredFrom: null, since: 5 }],
  hmacKey: { id: 'k1', secret: 'secret' },
  payloads: { tools: ['exec'] },
};

it('takes everything that the SDK can be told, under the names that the SDK reads', () => {
  expect(allows(WHOLE), JSON.stringify(allows.errors)).toBe(true);
  const { log, gateway } = settingsOf(WHOLE);
  expect(log).toBe(KAFKA);
  expect(gateway).toMatchObject({ operatorKeys: WHOLE.operatorKeys, gatewayId: 'claw-1' });
});

it('refuses a sign-in that would not be read', () => {
  const registry = { url: 'https://registry', username: 'claw', password: 'secret' };
  expect(allows({ ...WHOLE, log: { ...KAFKA, registry } })).toBe(false);
});
