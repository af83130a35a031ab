import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import kafkajs, { type Admin, type logCreator, type logLevel, type SASLOptions } from 'kafkajs';
import Cluster from 'kafkajs/src/cluster/index.js';
import { createLogger } from 'kafkajs/src/loggers/index.js';
import { prepareClient } from './client-version.ts';
import { registerCodecs } from './codecs.ts';
import {
  defaultTimings,
  type KafkaLogLine,
  type KafkaOptions,
  type KafkaTimings,
  type KafkaTls,
} from './options.ts';

const KEEP_ALIVE_MS = 10_000;
const CONNECT_MS = 3_000;
const QUIET_MS = 10_000;
const METADATA_AGE_MS = 60_000;
const CLOSE_GRACE_MS = 1_000;
/** Of the client's own attempts below ours; its default first pause of 300 ms is a cliff in every latency. */
const RETRY = { initialRetryTime: 50, maxRetryTime: 1_000, retries: 3 };

/** What every part of the driver shares: the way to a cluster, its timings and its voice. */
export interface Connection {
  readonly timings: KafkaTimings;
  readonly replication: number | null;
  /** A set of connections of its own: two to each broker, one of them for fetches alone. */
  cluster(name?: string): Connections;
  admin(): Admin;
  say(level: KafkaLogLine['level'], message: string): void;
}

export interface Connections {
  readonly cluster: Cluster;
  /** Disconnects; what has not been answered by then is not waited for. */
  close(): Promise<void>;
}

/** Prepares the way to a cluster; connects to nothing yet. */
export function connectionTo(options: KafkaOptions): Connection {
  prepareClient();
  registerCodecs();
  const timings = { ...defaultTimings, ...options.timings };
  const say: Connection['say'] = (level, message) => options.log?.({ level, message });
  const common = {
    connectionTimeout: Math.min(timings.request, CONNECT_MS),
    requestTimeout: timings.request,
    retry: RETRY,
    ...(options.tls === undefined ? {} : { ssl: tlsOptions(options.tls) }),
    // A copy: the client keeps its authenticator in it, with the password of that time.
    ...(options.sasl === undefined ? {} : { sasl: { ...options.sasl } as SASLOptions }),
  };
  // Each set of connections begins with another broker: the first one may be the one that is away.
  let turn = 0;
  const addresses = (): string[] => {
    turn = (turn + 1) % options.brokers.length;
    return [...options.brokers.slice(turn), ...options.brokers.slice(0, turn)];
  };
  const clientId = options.clientId ?? 'loopwarden';
  const logCreator = listen(say);
  const level = kafkajs.logLevel.WARN;
  return {
    timings,
    replication: options.replication ?? null,
    cluster: (name = clientId) =>
      connections({ ...common, brokers: addresses(), clientId: name, level, logCreator }),
    admin: () => {
      const network = { ...common, brokers: addresses(), clientId, socketFactory: openSocket };
      return new kafkajs.Kafka({ ...network, logLevel: level, logCreator }).admin();
    },
    say,
  };
}

/** Ends a socket in the one way that the client takes notice of. */
function cut(socket: Socket): void {
  socket.destroy(new Error('the log was closed'));
}

function tlsOptions(tls: true | KafkaTls): ConnectionOptions {
  if (tls === true) return {};
  const { verify = true, ...pem } = tls;
  return { ...pem, rejectUnauthorized: verify };
}

interface ConnectionSettings {
  readonly level: logLevel;
  readonly logCreator: logCreator;
  readonly [setting: string]: unknown;
}

function connections({ level, logCreator, ...settings }: ConnectionSettings): Connections {
  const sockets = new Set<Socket>();
  let closed = false;
  const quietly: logCreator = (at) => {
    const write = logCreator(at);
    return (entry) => (closed ? undefined : write(entry));
  };
  const cluster = new Cluster({
    ...settings,
    logger: createLogger({ level, logCreator: quietly }),
    metadataMaxAge: METADATA_AGE_MS,
    allowAutoTopicCreation: false,
    enforceRequestTimeout: true,
    socketFactory: (request: SocketRequest) => {
      const socket = openSocket(request);
      sockets.add(socket);
      // The client may begin to connect while it is told to disconnect.
      if (closed) cut(socket);
      return socket.once('close', () => sockets.delete(socket));
    },
  });
  const close = async (): Promise<void> => {
    closed = true;
    const all = (): void => sockets.forEach(cut);
    const timer = setTimeout(all, CLOSE_GRACE_MS);
    await cluster.disconnect().catch(() => undefined);
    clearTimeout(timer);
    // What the client has lost sight of would keep the process alive.
    all();
  };
  return { cluster, close };
}

interface SocketRequest {
  readonly host: string;
  readonly port: number;
  readonly ssl?: ConnectionOptions | null;
  readonly onConnect: () => void;
}

/** A socket without Nagle's delay, which the client's own factory leaves on. */
function openSocket({ host, port, ssl, onConnect }: SocketRequest): Socket {
  const name = isIP(host) === 0 ? { servername: host } : {};
  const secured = ssl !== undefined && ssl !== null;
  const socket = secured
    ? connectTls({ host, port, ...name, ...ssl }, onConnect)
    : connectPlain({ host, port }, onConnect);
  socket.setKeepAlive(true, KEEP_ALIVE_MS);
  return socket.setNoDelay(true);
}

/**
 * The client's own log, as warnings: it calls every attempt that it is about to repeat an error. One sentence
 * is said once in a while, however many connections say it.
 */
function listen(say: Connection['say']): logCreator {
  const said = new Map<string, number>();
  return () =>
    ({ log }) => {
      const now = Date.now();
      if (now - (said.get(log.message) ?? 0) < QUIET_MS) return;
      if (said.size > 100) said.clear();
      said.set(log.message, now);
      say('warn', `kafkajs: ${log.message}`);
    };
}
