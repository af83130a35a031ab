import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { registryFolder } from './jars.ts';
import { freePorts, startServer, waitUntil } from './processes.ts';

/** A schema registry of this test run, with its schemas in memory. */
export interface RegistryServer {
  /** The address that a Confluent client takes. */
  readonly url: string;
  stop(keep?: boolean): Promise<string | null>;
}

const START_LIMIT_MS = 90_000;
const JVM = ['-Xms64m', '-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Xshare:auto'];

/** Starts a registry and resolves when it answers. */
export async function startRegistry(): Promise<RegistryServer> {
  const home = await registryFolder();
  const jar = (await readdir(home)).find((name) => name.endsWith('-runner.jar'));
  if (jar === undefined) throw new Error(`no registry in ${home}: delete the folder, it is fetched again`);
  const folder = await mkdtemp(join(tmpdir(), 'loopwarden-registry-'));
  const [port] = await freePorts(1);
  const settings = [
    '-Dquarkus.http.host=127.0.0.1',
    `-Dquarkus.http.port=${port}`,
    '-Dapicurio.datasource.jdbc.min-size=2',
    '-Dapicurio.datasource.jdbc.initial-size=2',
    '-Dquarkus.log.level=WARN',
  ];
  const args = [...JVM, ...settings, '-jar', join(home, jar)];
  const server = startServer({ command: 'java', args, logFile: join(folder, 'registry.log') });
  const url = `http://127.0.0.1:${port}/apis/ccompat/v7`;
  const stop = async (keep = false): Promise<string | null> => {
    await server.stop();
    if (!keep) await rm(folder, { recursive: true, force: true });
    return keep ? folder : null;
  };
  try {
    await waitUntil({
      ready: async () => (await fetch(`${url}/subjects`)).ok,
      alive: () => server.alive,
      withinMs: START_LIMIT_MS,
      explain: () => `the schema registry did not come up. Its log is in ${folder}`,
    });
  } catch (error) {
    await stop(true);
    throw error;
  }
  return { url, stop };
}
