import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { kafkaUnderTest, uniqueName } from '../../setup/kafka.ts';

const kafka = await kafkaUnderTest();

describe.skipIf(kafka === null)('operating a fleet on Kafka', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'loopwarden-ops-'));
  afterAll(() => rm(folder, { recursive: true }));
  const program = join(import.meta.dirname, '../../../node_modules/.bin/loopwarden');
  const prefix = `${uniqueName('ops')}.`;
  const env = {
    ...process.env,
    LOOPWARDEN_LOG: 'kafka',
    LOOPWARDEN_KAFKA_BROKERS: kafka?.brokers.join(','),
    LOOPWARDEN_TOPICS_PREFIX: prefix,
    LOOPWARDEN_TOPICS_PARTITIONS: '2',
    LOOPWARDEN_REGISTRY_URL: kafka?.registry,
    LOOPWARDEN_HTTP_PORT: '0',
  };

  const loopwarden = (...args: string[]) =>
    new Promise<{ status: number; out: string; err: string }>((resolve) => {
      const child = execFile(process.execPath, [program, ...args], { env, cwd: folder }, (_, out, err) =>
        resolve({ status: child.exitCode ?? -1, out, err }),
      );
    });
  const objects = (text: string): unknown[] =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));

  beforeAll(() => writeFile(join(folder, 'policy.json5'), '{ enabled: true }'));

  it('topics that are missing are named, with the command that makes them', async () => {
    await loopwarden('schemas', 'register');
    const early = await loopwarden('log', 'ls');
    expect(early.status).toBe(2);
    expect(early.err).toContain('loopwarden topics apply [no_topics]');
    expect(await loopwarden('topics', 'apply')).toMatchObject({ status: 0 });
  });

  it('a detector judges what operators apply and release, until a signal stops it', async () => {
    const detector = spawn(process.execPath, [program, 'detect'], { env, cwd: folder });
    onTestFinished(() => void detector.kill('SIGKILL'));
    let lines = '';
    detector.stdout.on('data', (data) => {
      lines += String(data);
    });
    const ended = once(detector, 'close');
    await vi.waitFor(() => expect(lines).toContain('No policy was applied yet'), { timeout: 30_000 });
    const applied = await loopwarden('policy', 'apply', 'policy.json5', '--reason', 'on', '--yes', '--json');
    expect(objects(applied.out)).toMatchObject([{ revision: 0, partitions: 2, again: false }]);
    await vi.waitFor(() => expect(lines.match(/A policy took over/g)).toHaveLength(2), { timeout: 30_000 });
    const released = await loopwarden('release', '--run', 'r-17', '--reason', 'mended', '--json');
    expect(objects(released.out)).toMatchObject([{ runId: 'r-17', match: null }]);
    const events = objects((await loopwarden('log', 'cat', 'events')).out);
    const types = events.map((event) => (event as { value: { type: string } }).value.type);
    expect(types.sort()).toEqual(['policy', 'policy', 'release']);
    detector.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });

  it('a detector whose instance another one takes is alive, not ready, and says what to do', async () => {
    const detect = () => {
      const named = { ...env, LOOPWARDEN_DETECTOR_INSTANCE: 'replica-1' };
      const detector = spawn(process.execPath, [program, 'detect'], { env: named, cwd: folder });
      onTestFinished(() => void detector.kill('SIGKILL'));
      const said: Record<string, unknown>[] = [];
      createInterface({ input: detector.stdout }).on('line', (line) => said.push(JSON.parse(line)));
      const tells = (line: object) =>
        vi.waitFor(() => expect(said).toContainEqual(expect.objectContaining(line)), { timeout: 30_000 });
      return { detector, said, tells, ended: once(detector, 'close') };
    };
    const older = detect();
    await older.tells({ msg: 'The detector is up.' });
    const newer = detect();
    await newer.tells({ msg: 'Partition restored.', partition: 1 });
    await older.tells({
      level: 'error',
      msg: 'This detector was replaced and judges nothing.',
      detail: expect.stringContaining('Give each running replica an instance of its own'),
    });
    const { port } = older.said.find(({ msg }) => msg === 'The detector is up.') ?? {};
    const check = async (path: string) => (await fetch(`http://127.0.0.1:${port}/${path}`)).status;
    expect([await check('livez'), await check('readyz')]).toEqual([200, 503]);
    older.detector.kill('SIGTERM');
    expect(await older.ended).toEqual([0, null]);
    expect(newer.said.filter(({ msg }) => msg === 'Partition lost.')).toEqual([]);
    newer.detector.kill('SIGTERM');
    expect(await newer.ended).toEqual([0, null]);
  });
});
