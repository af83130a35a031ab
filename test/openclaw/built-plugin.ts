import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '../setup/processes.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BUILT = join(ROOT, 'dist/package/openclaw');

/** Builds the published form of the plugin and answers with its folder. */
export async function builtPlugin(): Promise<string> {
  await run(process.execPath, ['package/main.ts'], {
    cwd: join(ROOT, 'libs/openclaw'),
    env: { ...process.env, PATH: `${join(ROOT, 'node_modules/.bin')}:${process.env.PATH}` },
  });
  return BUILT;
}

/** Packs the plugin as it is published; answers with the tarball. */
export async function packedPlugin(folder: string): Promise<string> {
  const plugin = await builtPlugin();
  const { stdout } = await run('npm', ['pack', plugin, '--pack-destination', folder, '--silent'], {
    cwd: folder,
  });
  return join(folder, stdout.trim());
}
