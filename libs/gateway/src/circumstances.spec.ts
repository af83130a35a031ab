import { generateKeyPairSync } from 'node:crypto';
import { type OperatorKey, signValue } from '@loopwarden/wire';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Connected, Rig } from '../../../test/gateway/rig.ts';
import { SMALL } from '../../../test/given.ts';
import type { GatewayOptions } from './gateway-options.ts';
import type { Run } from './run.ts';

const CALL = { tool: 'read', args: { path: '/a' } };
let rig: Rig;

beforeEach(() => {
  rig = new Rig();
});
afterEach(() => rig.close());

/** A run that loops so far that its next call is refused. */
async function looping(options: Partial<GatewayOptions> = {}): Promise<Connected & { run: Run }> {
  const connected = await rig.connect(options);
  const run = connected.gateway.run({ runId: 'r' });
  for (let index = 1; index <= 5; index += 1) {
    await run.beforeCall({ ...CALL, callId: `c${index}` });
    run.afterCall({ ...CALL, callId: `c${index}`, result: 'same' });
    await rig.round();
  }
  return { ...connected, run };
}

it('verdicts of silent detectors are not enforced, which is told; a mark makes them good again', async () => {
  const { run, told, gateway } = await looping();
  rig.clock.advance(60_000);
  expect((await run.beforeCall(CALL)).action).toBe('allow');
  expect(told('despite')).toMatchObject([{ why: 'stale' }]);
  expect(gateway.stats().stale).toEqual([0]);
  await rig.settle();
  expect(rig.judging.events().at(-1)).toMatchObject({ despite: { sequence: 3, why: 'stale' } });
  rig.judging.mark(0);
  await rig.settle();
  expect((await run.beforeCall(CALL)).action).toBe('block');
  expect([...told('stale'), ...told('fresh')]).toMatchObject([
    { kind: 'stale', partition: 0 },
    { kind: 'fresh', partition: 0 },
  ]);
});

it('a clock that is set back does not hide for longer than a minute that detectors are silent', async () => {
  const { run, gateway, told } = await looping();
  rig.clock.advance(-3_600_000);
  expect((await run.beforeCall(CALL)).action).toBe('block');
  rig.clock.advance(60_000);
  expect((await run.beforeCall(CALL)).action).toBe('allow');
  expect(gateway.stats().stale).toEqual([0]);
  expect(
    told('vetoed').every(({ sinceVerdictMs, sinceHeardMs }) => sinceVerdictMs >= 0 && sinceHeardMs >= 0),
  ).toBe(true);
});

it('a clock that is set forward makes verdicts stale until the next mark, and no longer', async () => {
  const { run } = await looping();
  rig.clock.advance(3_600_000);
  expect((await run.beforeCall(CALL)).action).toBe('allow');
  rig.judging.mark(0, -1);
  await rig.settle();
  expect((await run.beforeCall(CALL)).action).toBe('block');
});

it('a restoring partition lives: a mark without progress keeps its verdicts good', async () => {
  const { run } = await looping();
  rig.clock.advance(59_000);
  rig.judging.mark(0, -1);
  await rig.settle();
  rig.clock.advance(59_000);
  expect((await run.beforeCall(CALL)).action).toBe('block');
});

it('stale verdicts are enforced where the gateway was told to', async () => {
  const { run } = await looping({ onStale: 'closed' });
  rig.clock.advance(600_000);
  expect((await run.beforeCall(CALL)).action).toBe('block');
});

it('an abort heard while stale is carried out once a detector lives', async () => {
  const { gateway } = await rig.connect();
  const run = gateway.run({ runId: 'r' });
  const turn = async (callId: string): Promise<void> => {
    await run.beforeCall({ ...CALL, callId });
    run.afterCall({ ...CALL, callId, result: 'same' });
    await rig.round();
  };
  await turn('c1');
  run.compacted();
  rig.clock.advance(61_000);
  await turn('c2');
  await turn('c3');
  expect(run.signal.aborted).toBe(false);
  rig.judging.mark(0);
  await rig.settle();
  expect(run.signal.aborted).toBe(true);
});

it('one policy switches all enforcement off, with no detector alive', async () => {
  const { run, told } = await looping();
  rig.judging.policy({ ...SMALL, loopwarden: { ...SMALL.loopwarden, enforce: false } });
  await rig.settle();
  expect((await run.beforeCall(CALL)).action).toBe('allow');
  expect(told('despite')).toMatchObject([{ why: 'off' }]);
  rig.judging.policy(SMALL);
  await rig.settle();
  expect((await run.beforeCall(CALL)).action).toBe('block');
});

it('a call that the host cannot refuse runs, and is told', async () => {
  const { run, told } = await looping();
  expect((await run.beforeCall({ ...CALL, unstoppable: true })).action).toBe('allow');
  expect(told('despite')).toMatchObject([{ why: 'unstoppable', verdict: { action: 'block' } }]);
});

it('a policy that is none leaves the one in force', async () => {
  const { gateway, told } = await looping();
  rig.judging.policy({ tools: { loopDetection: { warningThreshold: 'many' } } });
  await rig.settle();
  expect(gateway.stats().policyRevision).toBe(0);
  expect(told('skipped')).toMatchObject([{ topic: 'loopwarden.policies', offset: 1 }]);
});

it('where operator keys are known, only signed policies are followed', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const key: OperatorKey = {
    keyId: 'k',
    publicKeyPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    retiredFrom: null,
    since: null,
  };
  const { gateway, told } = await rig.connect({ operatorKeys: [key] });
  expect(gateway.stats().policyRevision).toBe(-1);
  const off = JSON.stringify({ loopwarden: { enforce: false } });
  const value = rig.codec.encodePolicyRevision({ policy: off, actor: 'somebody', reason: 'test' });
  const privateKeyPem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  rig.judging.policy(JSON.parse(off), { 'lw-signature': signValue(value, { keyId: 'k', privateKeyPem }) });
  await rig.settle();
  expect(gateway.stats()).toMatchObject({ policyRevision: 1, enforce: false });
  expect(told('skipped')).toMatchObject([{ offset: 0, detail: expect.stringContaining('lw-signature') }]);
});

it('profiles of the policy are in force where digests are made, and named in events', async () => {
  const profiles = { version: 'mine', tools: { clock: { volatile: ['time'] } }, aliases: { uhr: 'clock' } };
  rig.judging.policy({ ...SMALL, loopwarden: { profiles } });
  const { gateway } = await rig.connect();
  const run = gateway.run({ runId: 'r' });
  for (const time of [1, 2]) {
    await run.beforeCall({ callId: `c${time}`, tool: ' Uhr ' });
    run.afterCall({ callId: `c${time}`, tool: ' Uhr ', result: { content: [], details: { time } } });
  }
  await rig.settle();
  const results = rig.judging.events().filter((event) => event.type === 'tool_result');
  expect(results.map(({ tool, profiles: version }) => [tool, version])).toEqual([
    ['clock', expect.stringContaining('mine')],
    ['clock', expect.stringContaining('mine')],
  ]);
  expect(results[0]?.digest).toBe(results[1]?.digest);
});

it('with a key digests are HMACs, and events name the key', async () => {
  const plain = await rig.connect({ gatewayId: 'plain' });
  const keyed = await rig.connect({ gatewayId: 'keyed', hmacKey: { id: '2026', secret: 'hidden' } });
  for (const { gateway } of [plain, keyed]) await gateway.run({ runId: 'r' }).beforeCall(CALL);
  await rig.settle();
  const calls = rig.judging.events().filter((event) => event.type === 'tool_call');
  expect(calls.map(({ keyId }) => keyId)).toEqual([null, '2026']);
  expect(calls[0]?.args).not.toBe(calls[1]?.args);
});

it('payloads stay here unless their tool opted in', async () => {
  const { gateway } = await rig.connect({ payloads: { tools: ['read'] } });
  const run = gateway.run({ runId: 'r' });
  await run.beforeCall({ callId: 'c1', tool: 'Read', args: { path: '/a', apiKey: 'k' } });
  run.afterCall({ callId: 'c1', tool: 'read', error: new Error('Bearer abcdefghijkl failed') });
  await run.beforeCall({ callId: 'c2', tool: 'exec', args: { command: 'x' } });
  await rig.settle();
  const payloads = rig.judging.events().flatMap((event) => ('payload' in event ? [event.payload] : []));
  expect(payloads).toEqual([
    '{"args":{"path":"/a","apiKey":"[redacted]"}}',
    '{"error":{"name":"Error","message":"[redacted] failed"}}',
    null,
  ]);
});
