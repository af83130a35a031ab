import { createServer, type Server as HttpServer } from 'node:http';
import type { TestProject } from 'vitest/node';
import { startCluster } from './cluster.ts';
import { containerHost, startContainers } from './containers.ts';
import { javaTools } from './jars.ts';
import { startRegistry } from './registry-server.ts';

/** Where the broker and the registry of this test run are. */
export interface Addresses {
  readonly brokers: readonly string[];
  readonly registry: string;
}

export interface Services {
  readonly addresses: Addresses;
  /** Stops what was started; `keep` leaves logs behind and returns their folders. */
  stop(keep: boolean): Promise<readonly string[]>;
}

declare module 'vitest' {
  export interface ProvidedContext {
    /** Answers with the addresses and starts the services at the first request; null: there is no broker. */
    kafka: { readonly ask: string } | null;
  }
}

type Source = { readonly start: () => Promise<Services> } | { readonly missing: string };

/** One for all projects of a run, which load this module each on its own. */
const ONCE = Symbol.for('loopwarden.test.services');
const once = globalThis as { [ONCE]?: Promise<Front | null> };

/** Opens the door to a broker, which starts only when a spec asks. Skips loudly where there is none. */
export async function setup(project: TestProject): Promise<void> {
  once[ONCE] ??= open();
  const front = await once[ONCE];
  project.provide('kafka', front === null ? null : { ask: front.url });
  project.vitest.onClose(async () => {
    delete once[ONCE];
    const folders = await front?.close(project.vitest.state.getCountOfFailedTests() > 0);
    for (const folder of folders ?? []) console.warn(`Logs of the failed run: ${folder}`);
  });
}

async function open(): Promise<Front | null> {
  const source = await chooseSource();
  if ('start' in source) return openFront(source.start);
  const sentence = `No Kafka for the tests: ${source.missing}, or run a container engine, or name a broker in LOOPWARDEN_TEST_BROKERS and a registry in LOOPWARDEN_TEST_REGISTRY.`;
  if (process.env.LOOPWARDEN_REQUIRE_BROKER === '1') throw new Error(sentence);
  console.warn(`\n*** SKIPPED: every spec that needs a broker. ${sentence}\n`);
  return null;
}

/** Addresses from the environment, else containers, else the jars. */
async function chooseSource(): Promise<Source> {
  const brokers = process.env.LOOPWARDEN_TEST_BROKERS;
  const registry = process.env.LOOPWARDEN_TEST_REGISTRY;
  if ((brokers === undefined) !== (registry === undefined)) {
    throw new Error('Set both LOOPWARDEN_TEST_BROKERS and LOOPWARDEN_TEST_REGISTRY, or neither.');
  }
  if (brokers !== undefined && registry !== undefined) {
    const addresses = { brokers: brokers.split(','), registry };
    return { start: async () => ({ addresses, stop: async () => [] }) };
  }
  const host = await containerHost();
  if (host !== null) return { start: () => startContainers(host) };
  const java = await javaTools();
  return java.found ? { start: startJars } : { missing: java.advice };
}

async function startJars(): Promise<Services> {
  const [cluster, registry] = await Promise.all([startCluster({ nodes: 1 }), startRegistry()]);
  return {
    addresses: { brokers: cluster.brokers, registry: registry.url },
    stop: async (keep) => {
      const folders = await Promise.all([cluster.stop(keep), registry.stop(keep)]);
      return folders.filter((folder) => folder !== null);
    },
  };
}

interface Front {
  readonly url: string;
  close(keep: boolean): Promise<readonly string[]>;
}

/** A loopback page that specs, in other processes, ask for the addresses. */
async function openFront(start: () => Promise<Services>): Promise<Front> {
  let services: Promise<Services> | undefined;
  const server: HttpServer = createServer((_, response) => {
    services ??= start();
    services.then(
      ({ addresses }) => response.end(JSON.stringify(addresses)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/`,
    close: async (keep) => {
      server.closeAllConnections();
      server.close();
      return (await services?.catch(() => undefined))?.stop(keep) ?? [];
    },
  };
}
