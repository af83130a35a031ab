import { access, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './processes.ts';

const HERE = import.meta.dirname;
/** Ignored by git; what Maven brought is kept between runs. */
const CACHE = join(HERE, '../../.cache/test-kafka');
/** The newest registry that runs on Java 17. */
const REGISTRY = '3.0.9';

/** True when Java and Maven answer; the second item says what to install when they do not. */
export async function javaTools(): Promise<{ found: boolean; advice: string }> {
  const missing: string[] = [];
  await run('java', ['-version']).catch(() => missing.push('Java 17 or later'));
  await run('mvn', ['-v']).catch(() => missing.push('Maven'));
  const advice = missing.length === 0 ? '' : `install ${missing.join(' and ')}`;
  return { found: missing.length === 0, advice };
}

/** The folder of the broker's jars, fetched once. */
export async function kafkaJars(): Promise<string> {
  return fetched('kafka-4.4.0', async (folder) => {
    const args = ['-q', '-B', '-f', join(HERE, 'pom.xml'), 'dependency:copy-dependencies'];
    await run('mvn', [...args, `-DoutputDirectory=${folder}`]);
  });
}

/** The folder of the unpacked registry, fetched once. */
export async function registryFolder(): Promise<string> {
  return fetched(`registry-${REGISTRY}`, async (folder) => {
    const artifact = `io.apicurio:apicurio-registry-app:${REGISTRY}:tar.gz:all`;
    await run('mvn', [
      '-q',
      '-B',
      'dependency:copy',
      `-Dartifact=${artifact}`,
      `-DoutputDirectory=${folder}`,
    ]);
    const archive = join(folder, `apicurio-registry-app-${REGISTRY}-all.tar.gz`);
    await run('tar', ['-xzf', archive, '-C', folder]);
    await rm(archive);
  });
}

/** Fetches beside and renames, so that a folder under its final name is whole; a parallel run may win the race. */
async function fetched(name: string, fetch: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(CACHE, name);
  if (await exists(folder)) return folder;
  const partial = join(CACHE, `${name}.${process.pid}`);
  await mkdir(partial, { recursive: true });
  await fetch(partial);
  await rename(partial, folder).catch(async (error: unknown) => {
    await rm(partial, { recursive: true, force: true });
    if (!(await exists(folder))) throw error;
  });
  return folder;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
