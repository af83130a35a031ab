import { DEFAULT_POLICY } from '@loopwarden/detection';
import { connect, type Run } from '@loopwarden/gateway';
import { openEmbedded } from '@loopwarden/gateway/embedded';
import { silentLogger } from '@loopwarden/runtime';
import { partitionOf } from '@loopwarden/stream';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { releaseCommand } from '../commands/release.ts';
import type { Config } from '../config/settings.ts';
import type { OpenedLog } from '../open-log.ts';
import { applyPolicy } from '../policy/apply-policy.ts';
import { WATCHING } from '../policy/policy-file.ts';
import { runCommand } from '../testing/run-command.ts';
import { recordsOf, temporaryLog } from '../testing/temporary-log.ts';
import { addDetector } from '../up/start-stack.ts';
import { readSigningKey } from './key-files.ts';
import { keyFilesOf, makeKey } from './new-key.ts';
import { hashWith, releaseEvent } from './release-event.ts';

const CALL = { tool: 'read', args: { path: 'a.ts' } };

/** A detector on a log, and a gateway with one run. */
async function fleet(opened: OpenedLog, config: Config): Promise<Run> {
  const quiet = { ...config, http: { ...config.http, enabled: false } };
  const closings: (() => Promise<void> | void)[] = [];
  const lifecycle = {
    closing: (_name: string, close: () => Promise<void> | void) => void closings.push(close),
  };
  const detector = await addDetector(opened, { config: quiet, logger: silentLogger, lifecycle });
  expect(detector.ok).toBe(true);
  const gateway = await connect({ log: await openEmbedded({ dir: config.dataDir }), gatewayId: 'gw' });
  onTestFinished(async () => {
    await gateway.close();
    for (const close of closings) await close();
  });
  return gateway.run({ runId: 'r-17', agentId: 'coder' });
}

/** Repeats the call until it is refused. */
async function loopUntilRefused(run: Run): Promise<void> {
  await vi.waitFor(
    async () => {
      const { action } = await run.beforeCall(CALL);
      if (action !== 'block') run.afterCall({ ...CALL, result: 'the same' });
      expect(action).toBe('block');
    },
    { timeout: 20_000, interval: 5 },
  );
}

describe('an operator', () => {
  it('is heard by the detector: a policy turns detectors on, a release lifts what stands', async () => {
    const { opened, config, dataDir } = await temporaryLog(onTestFinished);
    const run = await fleet(opened, config);
    await applyPolicy(opened, { document: WATCHING, actor: 'ada', reason: 'on', key: null, newest: null });
    await loopUntilRefused(run);
    const flags = ['--run', 'r-17', '--tool', 'read', '--args', '{"path": "a.ts"}', '--reason', 'mended'];
    expect(await runCommand(releaseCommand, ...flags, '--data-dir', dataDir)).toMatchObject({ status: 0 });
    await vi.waitFor(async () => expect((await run.beforeCall(CALL)).action).toBe('allow'), {
      timeout: 10_000,
    });
  });

  it('without a signature is a dead letter where keys are configured; with one it is heard', async () => {
    const { opened, config, dataDir } = await temporaryLog(onTestFinished);
    const files = keyFilesOf(config);
    const made = makeKey(files, 'ada');
    const key = made.ok ? readSigningKey(made.value.privateFile) : made;
    if (!made.ok || !key.ok) throw new Error('The key was not made.');
    const run = await fleet(opened, { ...config, operator: { ...config.operator, keys: files.keys } });
    await applyPolicy(opened, {
      document: WATCHING,
      actor: 'ada',
      reason: 'on',
      key: key.value,
      newest: null,
    });
    await loopUntilRefused(run);

    const wish = { run: 'r-17', actor: 'eve', reason: 'let me' };
    const forged = releaseEvent(wish, { profiles: DEFAULT_POLICY.profiles, hash: hashWith(null) });
    if (!forged.ok) throw new Error(forged.error.message);
    const value = opened.codec.encodeEvent(forged.value);
    const partition = partitionOf('r-17', 3);
    await opened.log.writer().append([{ topic: opened.topics.events, partition, key: 'r-17', value }]);
    await vi.waitFor(async () => {
      const [letter] = await recordsOf(opened, opened.topics.deadLetters);
      expect(opened.codec.decodeDeadLetter(letter?.value ?? new Uint8Array())).toMatchObject({
        value: { code: 'unsigned' },
      });
    });
    expect((await run.beforeCall(CALL)).action).toBe('block');

    const flags = [
      '--run',
      'r-17',
      '--reason',
      'mended',
      '--operator-keys',
      files.keys,
      '--data-dir',
      dataDir,
    ];
    expect((await runCommand(releaseCommand, ...flags)).err[0]).toContain('[unsigned]');
    const signed = await runCommand(releaseCommand, ...flags, '--key', made.value.privateFile);
    expect(signed).toMatchObject({ status: 0 });
    await vi.waitFor(async () => expect((await run.beforeCall(CALL)).action).toBe('allow'), {
      timeout: 10_000,
    });
  });
});
