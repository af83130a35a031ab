import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { published } from '@loopwarden/schemas';
import { afterAll, describe, expect, it } from 'vitest';
import { kafkaUnderTest, uniqueName } from '../../setup/kafka.ts';

const kafka = await kafkaUnderTest();

describe.skipIf(kafka === null)('the commands that prepare a cluster', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'loopwarden-cli-'));
  afterAll(() => rm(folder, { recursive: true }));
  const prefix = `${uniqueName('cli')}.`;
  const idFile = join(folder, 'ids.json');

  const loopwarden = (...args: string[]) =>
    new Promise<{ status: number; text: string }>((resolve) => {
      const program = join(import.meta.dirname, '../../../node_modules/.bin/loopwarden');
      const environment = {
        ...process.env,
        LOOPWARDEN_LOG: 'kafka',
        LOOPWARDEN_KAFKA_BROKERS: kafka?.brokers.join(','),
        LOOPWARDEN_TOPICS_PREFIX: prefix,
        LOOPWARDEN_REGISTRY_URL: kafka?.registry,
        LOOPWARDEN_REGISTRY_ID_FILE: idFile,
      };
      const options = { env: environment, cwd: folder };
      const child = execFile(process.execPath, [program, ...args], options, (_, stdout, stderr) =>
        resolve({ status: child.exitCode ?? -1, text: stdout + stderr }),
      );
    });

  it('plan, apply and plan the topics: nothing is left to do', async () => {
    const before = await loopwarden('topics', 'plan');
    expect(before.text).toContain(`${prefix}events`);
    expect(before.text).toContain('missing');
    expect(before.status).toBe(1);
    expect(await loopwarden('topics', 'apply')).toMatchObject({ status: 0 });
    const after = await loopwarden('topics', 'plan');
    expect(after).toEqual({ status: 0, text: 'Every topic is as declared.\n' });
  });

  it('check, register and check the schemas, and leave their ids in a file', async () => {
    const before = await loopwarden('schemas', 'check');
    expect(before.status).toBe(0);
    expect(before.text).toContain('new');
    expect(await loopwarden('schemas', 'register')).toMatchObject({ status: 0 });
    const after = await loopwarden('schemas', 'check', '--json');
    const states = after.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { state: string });
    expect(states.map(({ state }) => state)).toEqual(published.map(() => 'registered'));
    expect(await readFile(idFile, 'utf8')).toContain('loopwarden.events.ToolCall');
  });
});
