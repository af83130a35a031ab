import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '../setup/processes.ts';

/** The version that the plugin is tried with. */
const OPENCLAW = '2026.7.1-2';

const CACHE = fileURLToPath(new URL(`../../.cache/openclaw-${OPENCLAW}`, import.meta.url));
const INSTALL_MS = 300_000;

/** Path of the command, installed on demand into a folder that git ignores; null, said aloud, where it cannot be. */
export async function openClawUnderTest(): Promise<string | null> {
  const command = join(CACHE, 'node_modules/openclaw/openclaw.mjs');
  if (existsSync(command)) return command;
  try {
    await mkdir(CACHE, { recursive: true });
    await writeFile(join(CACHE, 'package.json'), '{"name":"openclaw-under-test","private":true}');
    const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts', '--save-exact'];
    await run('npm', ['install', ...quiet, `openclaw@${OPENCLAW}`], { cwd: CACHE, timeout: INSTALL_MS });
    return command;
  } catch (error) {
    const sentence = `OpenClaw ${OPENCLAW} could not be installed for the tests: ${String(error)}`;
    if (process.env.LOOPWARDEN_REQUIRE_OPENCLAW === '1') throw new Error(sentence);
    console.warn(`\n*** SKIPPED: every spec of the OpenClaw plugin on a real OpenClaw. ${sentence}\n`);
    return null;
  }
}
