import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kafkaLog } from '@loopwarden/stream/kafka';
import { kafkaJars } from './jars.ts';
import { freePorts, run, type Server, startServer, waitUntil } from './processes.ts';
import { type Security, secure } from './security.ts';

/** A Kafka of this test run: real brokers on loopback, thrown away at the end. */
export interface Cluster {
  /** `host:port` of every node. */
  readonly brokers: readonly string[];
  /** What a client needs to get in; null on an open cluster. */
  readonly security: Security | null;
  /** Node 1 is also the controller: it must live for leaders to move. Nodes count from 1. */
  node(number: number): Node;
  /** Stops every node; `keep` leaves logs and data for a look at what went wrong, and returns where. */
  stop(keep?: boolean): Promise<string | null>;
}

export interface Node extends Server {
  /** Starts the node anew, with the data it left. Resolves when the cluster counts it again. */
  start(): Promise<void>;
}

export interface ClusterOptions {
  readonly nodes: 1 | 3;
  /** TLS and SASL (PLAIN and SCRAM) on the only way in. */
  readonly secured?: boolean;
}

const START_LIMIT_MS = 60_000;
const JVM = ['-Xms64m', '-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Xshare:auto'];

/** Starts a cluster and resolves when every node answers. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const folder = await mkdtemp(join(tmpdir(), 'loopwarden-kafka-'));
  const jars = await kafkaJars();
  const ports = await freePorts(options.nodes + 1);
  const security = options.secured === true ? await secure(folder) : null;
  const brokers = ports.slice(1).map((port) => `127.0.0.1:${port}`);
  const plan = { folder, jars, brokers, controller: `127.0.0.1:${ports[0]}`, security };
  const id = newId();
  const servers = await Promise.all(
    brokers.map(async (_, index) => {
      await prepareNode(plan, index + 1, id);
      return launch(plan, index + 1);
    }),
  );
  const stop = async (keep = false): Promise<string | null> => {
    await Promise.all(servers.map((server) => server.stop()));
    if (!keep) await rm(folder, { recursive: true, force: true });
    return keep ? folder : null;
  };
  const counted = () => ready(plan, servers);
  try {
    await counted();
  } catch (error) {
    await stop(true);
    throw error;
  }
  const node = (number: number): Node => {
    const now = (): Server => {
      const server = servers[number - 1];
      if (server === undefined) throw new Error(`the cluster has no node ${number}`);
      return server;
    };
    const start = async (): Promise<void> => {
      servers[number - 1] = launch(plan, number);
      await counted();
    };
    return nodeOf(now, start);
  };
  return { brokers, security, node, stop };
}

/** A Kafka id; one that began with a hyphen would be taken for a flag. */
function newId(): string {
  const bytes = randomBytes(16);
  bytes[0] = 0;
  return bytes.toString('base64url');
}

/** A node keeps its face while the process behind it changes. */
function nodeOf(now: () => Server, start: () => Promise<void>): Node {
  return {
    get pid() {
      return now().pid;
    },
    get alive() {
      return now().alive;
    },
    pause: () => now().pause(),
    resume: () => now().resume(),
    kill: () => now().kill(),
    stop: () => now().stop(),
    start,
  };
}

interface Plan {
  readonly folder: string;
  readonly jars: string;
  readonly brokers: readonly string[];
  readonly controller: string;
  readonly security: Security | null;
}

const logFile = (plan: Plan, node: number): string => join(plan.folder, `node${node}.log`);
const propertiesFile = (plan: Plan, node: number): string => join(plan.folder, `node${node}.properties`);

function java(plan: Plan, ...args: string[]): string[] {
  const logging = `-Dlog4j2.configurationFile=${join(import.meta.dirname, 'log4j2.properties')}`;
  return [...JVM, '-cp', join(plan.jars, '*'), logging, `-Dkafka.logs.dir=${plan.folder}`, ...args];
}

function launch(plan: Plan, node: number): Server {
  const args = java(plan, 'kafka.Kafka', propertiesFile(plan, node));
  return startServer({ command: 'java', args, logFile: logFile(plan, node) });
}

/** Writes the node's settings and its formatted folder. */
async function prepareNode(plan: Plan, node: number, id: string): Promise<void> {
  const data = join(plan.folder, `data${node}`);
  await mkdir(data);
  const lines = Object.entries(settings(plan, node)).map(([name, value]) => `${name}=${value}`);
  await writeFile(propertiesFile(plan, node), `${lines.join('\n')}\n`);
  if (plan.security === null) {
    // What the format tool would write: a JVM start less for each node.
    const directory = newId();
    const meta = `version=1\ncluster.id=${id}\nnode.id=${node}\ndirectory.id=${directory}\n`;
    await writeFile(join(data, 'meta.properties'), meta);
    return;
  }
  // Only the format tool can write SCRAM credentials before the first start.
  const format = [
    'kafka.tools.StorageTool',
    'format',
    '--cluster-id',
    id,
    '--config',
    propertiesFile(plan, node),
  ];
  await run('java', java(plan, ...format, ...plan.security.scram.flatMap((entry) => ['--add-scram', entry])));
}

function settings(plan: Plan, node: number): Record<string, string | number> {
  const address = plan.brokers[node - 1];
  const protocol = plan.security === null ? 'PLAINTEXT' : 'SASL_SSL';
  const isController = node === 1;
  const copies = plan.brokers.length;
  return {
    'process.roles': isController ? 'broker,controller' : 'broker',
    'node.id': node,
    'controller.quorum.voters': `1@${plan.controller}`,
    listeners: `CLIENTS://${address}${isController ? `,CONTROLLER://${plan.controller}` : ''}`,
    'advertised.listeners': `CLIENTS://${address}`,
    'inter.broker.listener.name': 'CLIENTS',
    'controller.listener.names': 'CONTROLLER',
    'listener.security.protocol.map': `CONTROLLER:PLAINTEXT,CLIENTS:${protocol}`,
    'log.dirs': join(plan.folder, `data${node}`),
    'auto.create.topics.enable': 'false',
    'offsets.topic.num.partitions': 4,
    'offsets.topic.replication.factor': copies,
    'transaction.state.log.num.partitions': 1,
    'transaction.state.log.replication.factor': copies,
    'transaction.state.log.min.isr': 1,
    'share.coordinator.state.topic.replication.factor': copies,
    'share.coordinator.state.topic.min.isr': 1,
    // Tests wait for these; production values only make them slower.
    'group.initial.rebalance.delay.ms': 0,
    'group.min.session.timeout.ms': 500,
    'broker.session.timeout.ms': 3000,
    'broker.heartbeat.interval.ms': 500,
    'replica.lag.time.max.ms': 3000,
    'num.network.threads': 2,
    'num.io.threads': 4,
    'log.cleaner.dedupe.buffer.size': 8388608,
    ...plan.security?.settings,
  };
}

/** Resolves when every live node answers: one does once it belongs to the cluster. */
async function ready(plan: Plan, servers: readonly Server[]): Promise<void> {
  const access = plan.security === null ? {} : { tls: plan.security.tls, sasl: plan.security.sasl.plain };
  await Promise.all(
    servers.map(async (server, index) => {
      if (!server.alive) return;
      const node = kafkaLog({ brokers: [plan.brokers[index] ?? ''], ...access });
      await waitUntil({
        ready: () => node.admin.topics().then(() => true),
        alive: () => server.alive,
        withinMs: START_LIMIT_MS,
        explain: () => `Kafka did not come up. Its logs and data are in ${plan.folder}`,
      });
    }),
  );
}
