import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished, vi } from 'vitest';
import { temporaryFolder } from '../testing/temporary-log.ts';

const COMMAND = fileURLToPath(new URL('../../bin/loopwarden.js', import.meta.url));

/** A process of the command, by what it says. */
function loopwarden(...args: string[]) {
  const child: ChildProcess = spawn(process.execPath, [COMMAND, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let out = '';
  child.stdout?.on('data', (data) => {
    out += String(data);
  });
  child.stderr?.on('data', (data) => {
    out += String(data);
  });
  const status = once(child, 'close').then(([code]) => Number(code));
  const says = (text: string) =>
    vi.waitFor(() => expect(out).toContain(text), { timeout: 30_000, interval: 50 });
  return { child, status, says, out: () => out };
}

/** The summary's row of an agent: how it ended, and the numbers. */
function rowOf(out: string, agent: string): { ended: string; numbers: string[] } {
  const line = out
    .split('\n')
    .find(
      (candidate) => candidate.startsWith(`${agent} `) && / (stopped|aborted|completed) /.test(candidate),
    );
  const [, ended = '', numbers = ''] = / (stopped|aborted|completed) +(.*)$/.exec(line ?? '') ?? [];
  return { ended, numbers: numbers.split(/ +/) };
}

it('the demo stops every kind of loop, touches no honest run, and ends by itself, also with a busy port', async () => {
  const busy = createServer().listen(9464, '127.0.0.1');
  busy.on('error', () => undefined);
  onTestFinished(() => void busy.close());
  const demo = loopwarden('up', '--demo');
  expect(await demo.status).toBe(0);
  const out = demo.out();
  for (const agent of ['coder', 'builder', 'writer', 'support']) {
    const { ended, numbers } = rowOf(out, agent);
    expect([agent, ended, numbers[2]]).toEqual([agent, 'stopped', '3']);
    expect(Number(numbers[3])).toBeGreaterThan(50);
  }
  expect(rowOf(out, 'dba')).toMatchObject({ ended: 'aborted' });
  for (const agent of ['analyst', 'reviewer', 'deployer', 'tester', 'planner']) {
    expect([agent, rowOf(out, agent).ended, rowOf(out, agent).numbers[2]]).toEqual([agent, 'completed', '–']);
  }
  for (const detector of ['generic repeat', 'known poll no progress', 'ping pong', 'unknown tool repeat']) {
    expect(out).toMatch(new RegExp(`BLOCK .* ${detector} `));
  }
  expect(out).toContain('5 of 5 loops stopped; 5 of 5 honest runs untouched.');
});

it('up keeps its log, turns detectors on once, says where things are, and stops when told to', async () => {
  const dataDir = join(await temporaryFolder(onTestFinished), 'data');
  const start = () => loopwarden('up', '--data-dir', dataDir, '--http-port', '0');
  const first = start();
  await first.says('Ctrl-C stops.');
  expect(first.out()).toContain(dataDir);
  expect(first.out()).toContain('revision 0, applied just now');
  const [, port] = /http:\/\/127\.0\.0\.1:(\d+)\/readyz/.exec(first.out()) ?? [];
  const ready = await fetch(`http://127.0.0.1:${port}/readyz`);
  expect(await ready.json()).toMatchObject({ ok: true });
  first.child.kill('SIGINT');
  expect(await first.status).toBe(0);
  expect(first.out()).toContain('Stopped.');

  const second = start();
  await second.says('Ctrl-C stops.');
  expect(second.out()).toContain('revision 0, by ');
  second.child.kill('SIGTERM');
  expect(await second.status).toBe(0);
});

it('a folder that cannot be used is refused with a sentence', async () => {
  const { status, out } = loopwarden('up', '--data-dir', join(COMMAND, 'data'));
  expect(await status).toBe(2);
  expect(out()).toContain('[data_dir]');
});
