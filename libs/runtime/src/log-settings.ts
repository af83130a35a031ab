import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { type ConfigFault, fault } from './config.ts';
import { between, type ConfigOf, type Environment, settingsTable } from './setting.ts';

/** Less would not hold the state of a few thousand runs beside their events. */
const LEAST_LOG_BYTES = 16 * 1_048_576;

/** Where the events are: which log, how to reach it, and how its topics are named. */
export const logSettings = settingsTable({
  dataDir: {
    type: 'string',
    default: dataFolder,
    text: 'Folder of the embedded log and of everything else that is kept on this machine.',
  },
  log: {
    type: 'enum',
    values: ['embedded', 'kafka'],
    default: 'embedded',
    text: 'Which log holds the topics: one in dataDir, or Kafka.',
  },
  'embedded.maxBytes': {
    type: 'size',
    default: null,
    check: (bytes) => (bytes < LEAST_LOG_BYTES ? 'must be at least 16MiB.' : null),
    text: 'How large the embedded log may grow; its oldest records make room. Not set: as large as a week is.',
  },
  'topics.prefix': {
    type: 'string',
    default: 'loopwarden.',
    check: topicPrefix,
    text: 'What every topic name begins with.',
  },
  'topics.partitions': {
    type: 'integer',
    default: 12,
    check: between(1, 10_000),
    text: 'Partitions of events, control and state; only read when topics are created.',
  },
  'kafka.brokers': {
    type: 'list',
    default: [],
    check: brokers,
    text: 'Brokers to begin with, host:port each.',
  },
  'kafka.tls.enabled': { type: 'boolean', default: false, text: 'Whether to speak TLS to the brokers.' },
  'kafka.tls.ca': {
    type: 'string',
    default: null,
    text: "PEM file of authorities to trust in place of the system's.",
  },
  'kafka.tls.cert': { type: 'string', default: null, text: 'PEM file of the client certificate.' },
  'kafka.tls.key': { type: 'string', default: null, text: 'PEM file of the client key.' },
  'kafka.tls.verify': {
    type: 'boolean',
    default: true,
    text: 'Whether to refuse brokers whose certificate cannot be verified.',
  },
  'kafka.sasl.mechanism': {
    type: 'enum',
    values: ['plain', 'scram-sha-256', 'scram-sha-512'],
    default: null,
    text: 'How to sign in at the brokers; not set: no sign-in.',
  },
  'kafka.sasl.username': { type: 'string', default: null, text: 'User name for the brokers.' },
  'kafka.sasl.password': { type: 'secret', default: null, text: 'Password for the brokers.' },
  'registry.url': {
    type: 'string',
    default: null,
    check: registryUrl,
    text: 'Address of the schema registry (Confluent API), with its path if it has one.',
  },
  'registry.username': { type: 'string', default: null, text: 'User name for the registry.' },
  'registry.password': { type: 'secret', default: null, text: 'Password for the registry.' },
  'registry.idFile': {
    type: 'string',
    default: null,
    text: 'File of schema ids written by `loopwarden schemas register`; with it a start waits for no registry.',
  },
});

type LogConfig = ConfigOf<typeof logSettings>;

/** The XDG data folder; a relative XDG_DATA_HOME counts as not set, as its specification says. */
function dataFolder(environment: Environment): string {
  const given = environment.XDG_DATA_HOME ?? '';
  const base = isAbsolute(given) ? given : join(environment.HOME || homedir(), '.local', 'share');
  return join(base, 'loopwarden');
}

/** Kafka allows these characters and 249 in all; the longest topic name of ours takes 12. */
function topicPrefix(value: string): string | null {
  return /^[A-Za-z0-9._-]{1,200}$/.test(value)
    ? null
    : 'may hold letters, digits, dots, underscores and hyphens only, 200 at most.';
}

function brokers(values: readonly string[]): string | null {
  const wrong = values.find((value) => !/^(\[[0-9A-Fa-f:.]+\]|[^\s:/@]+):\d{1,5}$/.test(value));
  return wrong === undefined ? null : 'must list brokers as host:port.';
}

function registryUrl(value: string): string | null {
  const url = URL.parse(value);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return 'must be an http or https address.';
  return url.username === '' && url.password === ''
    ? null
    : 'must not hold credentials: set registry.username and registry.password.';
}

function kafkaNeedsBrokers({ log, kafka }: LogConfig): ConfigFault | null {
  if (log !== 'kafka' || kafka.brokers.length > 0) return null;
  return fault('kafka.brokers', 'must name at least one broker, because log is kafka.');
}

function kafkaNeedsSchemaIds({ log, registry }: LogConfig): ConfigFault | null {
  if (log !== 'kafka' || registry.url !== null || registry.idFile !== null) return null;
  return fault('registry.url', 'or registry.idFile must be set, because log is kafka.');
}

function certificateNeedsKey({ kafka: { tls } }: LogConfig): ConfigFault | null {
  if ((tls.cert === null) === (tls.key === null)) return null;
  return fault(
    tls.cert === null ? 'kafka.tls.cert' : 'kafka.tls.key',
    'must be set: certificate and key go together.',
  );
}

function tlsMustBeOn({ kafka: { tls } }: LogConfig): ConfigFault | null {
  if (tls.enabled || (tls.ca === null && tls.cert === null && tls.key === null && tls.verify)) return null;
  return fault('kafka.tls.enabled', 'must be true for the other kafka.tls settings to mean anything.');
}

function signInIsWhole({ kafka: { sasl } }: LogConfig): ConfigFault | null {
  const parts = [sasl.mechanism, sasl.username, sasl.password];
  const missing = ['kafka.sasl.mechanism', 'kafka.sasl.username', 'kafka.sasl.password'][parts.indexOf(null)];
  if (missing === undefined || parts.every((part) => part === null)) return null;
  return fault(missing, 'must be set: mechanism, username and password go together.');
}

function registrySignInIsWhole({ registry }: LogConfig): ConfigFault | null {
  if ((registry.username === null) === (registry.password === null)) return null;
  return fault(
    registry.username === null ? 'registry.username' : 'registry.password',
    'must be set: username and password go together.',
  );
}

/** All relations between the log settings. */
export const logRelations = [
  kafkaNeedsBrokers,
  kafkaNeedsSchemaIds,
  certificateNeedsKey,
  tlsMustBeOn,
  signInIsWhole,
  registrySignInIsWhole,
];
