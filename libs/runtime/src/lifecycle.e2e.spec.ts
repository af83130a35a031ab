import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';

const here = (file: string) => JSON.stringify(new URL(file, import.meta.url).href);

const SETUP = `
  import { createLifecycle } from ${here('./lifecycle.ts')};
  import { createLogger } from ${here('./logger.ts')};
  const log = createLogger({ level: 'info', format: process.env.FORMAT, output: 'stdout' });
  const lifecycle = createLifecycle({ process, log, deadlineMs: 5000 });
  const alive = setInterval(() => {}, 1000);
  const started = () => log.info('Started.');
`;

/** Runs a small process; signals are sent as soon as it says that it has started. */
async function run(code: string, { format = 'json', signals = [] as readonly NodeJS.Signals[] } = {}) {
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', SETUP + code], {
    env: { FORMAT: format },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  let sent = 0;
  child.stdout.on('data', (data) => {
    output += String(data);
    // The second signal waits until the first was heard.
    const heard = output.includes('Stopping.') ? 2 : Number(output.includes('Started.'));
    for (const signal of signals.slice(sent, heard)) child.kill(signal);
    sent = Math.max(sent, Math.min(heard, signals.length));
  });
  const [exitCode] = await once(child, 'close');
  return { exitCode, output };
}

it('a real signal closes what was started, and the process ends with 0', async () => {
  const code = `lifecycle.closing('log', () => { log.info('Closed.'); }); started();`;
  const { exitCode, output } = await run(code, { signals: ['SIGTERM'] });
  expect(exitCode).toBe(0);
  expect(output).toContain('Closed.');
});

it('a second real signal ends a process that hangs', async () => {
  const code = `lifecycle.closing('stuck', () => new Promise(() => {})); started();`;
  const { exitCode } = await run(code, { signals: ['SIGTERM', 'SIGTERM'] });
  expect(exitCode).toBe(143);
});

it.each(['json', 'pretty'])('the last words of a process that crashes are written (%s)', async (format) => {
  const { exitCode, output } = await run(`setTimeout(() => { throw new Error('boom'); }, 1);`, { format });
  expect(exitCode).toBe(1);
  expect(output).toContain('boom');
});

it('a rejection that nobody handles ends the process', async () => {
  const { exitCode, output } = await run(`setTimeout(() => { void Promise.reject(new Error('boom')); }, 1);`);
  expect(exitCode).toBe(1);
  expect(output).toContain('unhandledRejection');
});
