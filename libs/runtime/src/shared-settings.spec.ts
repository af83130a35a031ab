import { describe, expect, it } from 'vitest';
import { resolveConfig } from './config.ts';
import { detectorRelations, detectorSettings } from './detector-settings.ts';
import { logRelations, logSettings } from './log-settings.ts';
import { processRelations, processSettings } from './process-settings.ts';
import { type Setting, settingNames } from './setting.ts';

const table = { ...logSettings, ...processSettings, ...detectorSettings };
const relations = [...logRelations, ...processRelations, ...detectorRelations];

const resolve = (flags: object, environment: Record<string, string> = { HOME: '/home/ada' }) =>
  resolveConfig(table, { environment, flags: { ...flags } }, relations);

const faultyPaths = (file: unknown, environment: Record<string, string> = {}) => {
  const result = resolveConfig(table, { file, environment, flags: {} }, relations);
  return result.ok ? [] : result.faults.map(({ path }) => path);
};

const kafka = { log: 'kafka', registry: { url: 'http://localhost:8081' } };
const local = { ...kafka, kafka: { brokers: ['localhost:9092'] } };
const remote = { ...kafka, kafka: { brokers: ['localhost:9092', 'kafka.example:9092'] } };

describe('the shared settings', () => {
  it('start with nothing configured: embedded log, loopback only', () => {
    const result = resolve({});
    expect(result).toMatchObject({
      ok: true,
      config: {
        log: 'embedded',
        dataDir: '/home/ada/.local/share/loopwarden',
        http: { host: '127.0.0.1' },
      },
    });
  });

  it('have names that differ in every source, and a text each', () => {
    const entries: [string, Setting][] = Object.entries(table);
    const names = entries.map(([key, setting]) => settingNames(key, setting));
    expect(new Set(names.map(({ environment }) => environment)).size).toBe(entries.length);
    expect(new Set(names.map(({ option }) => option)).size).toBe(entries.length);
    expect(entries.filter(([, { text }]) => !text.endsWith('.')).map(([key]) => key)).toEqual([]);
  });

  it('have defaults that they would accept', () => {
    const refused = Object.entries(table as Record<string, Setting>).filter(([, setting]) => {
      const check = setting.check as ((value: unknown) => string | null) | undefined;
      return setting.default !== null && (check?.(setting.default) ?? null) !== null;
    });
    expect(refused.map(([key]) => key)).toEqual([]);
  });

  it.each([
    [{ XDG_DATA_HOME: '/srv/data', HOME: '/home/ada' }, '/srv/data/loopwarden'],
    [{ XDG_DATA_HOME: 'relative', HOME: '/home/ada' }, '/home/ada/.local/share/loopwarden'],
  ])('put data where XDG says: %j', (environment, dataDir) => {
    expect(resolve({}, environment)).toMatchObject({ ok: true, config: { dataDir } });
  });
});

describe('beyond loopback', () => {
  it.each([
    ['127.0.0.1', []],
    ['::1', []],
    ['localhost', []],
    ['0.0.0.0', ['http.token']],
    ['::', ['http.token']],
    ['10.0.0.5', ['http.token']],
    ['detector.example', ['http.token']],
  ])('http.host %s needs a token', (host, paths) => {
    expect(faultyPaths({ http: { host } })).toEqual(paths);
    expect(faultyPaths({ http: { host } }, { LOOPWARDEN_HTTP_TOKEN: 'a-token-of-16-or-more' })).toEqual([]);
  });

  it('a port that is not served needs none', () => {
    expect(faultyPaths({ http: { host: '0.0.0.0', enabled: false } })).toEqual([]);
  });

  it('a short token is refused', () => {
    expect(faultyPaths({}, { LOOPWARDEN_HTTP_TOKEN: 'short' })).toEqual(['http.token']);
  });

  it('a log needs operator keys or an explicit word', () => {
    expect(faultyPaths(local)).toEqual([]);
    expect(faultyPaths(remote)).toEqual(['operator.keys']);
    expect(faultyPaths({ ...remote, operator: { keys: '/etc/keys.json' } })).toEqual([]);
    expect(faultyPaths({ ...remote, operator: { allowUnsigned: true } })).toEqual([]);
  });
});

it.each([
  ['loopwarden-detector-7d9f-x2x.1_a', []],
  ['a'.repeat(249), []],
  ['a'.repeat(250), ['detector.instance']],
  ['two words', ['detector.instance']],
  ['..', ['detector.instance']],
])('detector.instance is what Kafka takes: %s', (LOOPWARDEN_DETECTOR_INSTANCE, paths) => {
  expect(faultyPaths({}, { LOOPWARDEN_DETECTOR_INSTANCE })).toEqual(paths);
});

describe('what belongs together', () => {
  it.each([
    [{ log: 'kafka' }, ['kafka.brokers', 'registry.url']],
    [{ ...local, registry: { idFile: '/etc/ids.json' } }, []],
    [{ kafka: { brokers: ['localhost'] } }, ['kafka.brokers']],
    [{ kafka: { brokers: ['[::1]:9092'] } }, []],
    [{ kafka: { tls: { enabled: true, cert: '/c.pem' } } }, ['kafka.tls.key']],
    [{ kafka: { tls: { enabled: true, key: '/k.pem' } } }, ['kafka.tls.cert']],
    [{ kafka: { tls: { ca: '/ca.pem' } } }, ['kafka.tls.enabled']],
    [{ kafka: { tls: { verify: false } } }, ['kafka.tls.enabled']],
    [{ kafka: { sasl: { username: 'ada' } } }, ['kafka.sasl.mechanism']],
    [{ kafka: { sasl: { mechanism: 'plain', username: 'ada' } } }, ['kafka.sasl.password']],
    [{ kafka: { sasl: { mechanism: 'plain', username: 'ada', password: 'x' } } }, []],
    [{ registry: { url: 'http://r', username: 'ada' } }, ['registry.password']],
    [{ registry: { url: 'http://ada:x@r' } }, ['registry.url']],
    [{ registry: { url: 'r:8081' } }, ['registry.url']],
    [{ topics: { prefix: 'a b' } }, ['topics.prefix']],
  ])('%j', (file, paths) => {
    expect(faultyPaths(file)).toEqual(paths);
  });

  it('credentials in the address are not repeated in the fault', () => {
    const result = resolve({ registryUrl: 'http://ada:hunter2@registry.example' });
    expect(result.ok).toBe(false);
    expect(JSON.stringify(result)).not.toContain('hunter2');
  });
});
