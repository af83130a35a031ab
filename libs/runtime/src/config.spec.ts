import { describe, expect, it } from 'vitest';
import { type ConfigSources, fault, resolveConfig } from './config.ts';
import { between, settingsTable } from './setting.ts';

const table = settingsTable({
  name: { type: 'string', default: (environment) => environment.HOME ?? 'nobody', text: '' },
  'http.port': { type: 'integer', default: 80, check: between(0, 65_535), text: '' },
  'http.token': { type: 'secret', default: null, text: '' },
  'kafka.brokers': { type: 'list', default: [], text: '' },
});

const resolve = (sources: Partial<ConfigSources>) =>
  resolveConfig(table, { environment: {}, flags: {}, ...sources });

const resolved = (sources: Partial<ConfigSources>) => {
  const result = resolve(sources);
  if (!result.ok) throw new Error(JSON.stringify(result.faults));
  return result;
};

const sentences = (sources: Partial<ConfigSources>) => {
  const result = resolve(sources);
  return result.ok ? [] : result.faults.map(({ sentence }) => sentence);
};

describe('order of sources', () => {
  const file = { http: { port: 1 } };
  const environment = { LOOPWARDEN_HTTP_PORT: '2' };
  const flags = { httpPort: '3' };

  it.each([
    [{}, 80, 'default'],
    [{ file }, 1, 'file'],
    [{ file, environment }, 2, 'LOOPWARDEN_HTTP_PORT'],
    [{ file, environment, flags }, 3, '--http-port'],
    [{ file, flags: { httpPort: undefined } }, 1, 'file'],
    [{ file, environment: { LOOPWARDEN_HTTP_PORT: '' } }, 1, 'file'],
  ])('%j', (sources, port, origin) => {
    const { config, origins } = resolved(sources);
    expect([config.http.port, origins['http.port']]).toEqual([port, origin]);
  });

  it('a default may come from the environment', () => {
    expect(resolved({ environment: { HOME: '/home/ada' } }).config.name).toBe('/home/ada');
  });

  it('a secret is not read from flags', () => {
    expect(resolved({ flags: { httpToken: 'x' } }).config.http.token).toBeNull();
  });
});

describe('the result', () => {
  it('is frozen through and through', () => {
    const { config } = resolved({ file: { kafka: { brokers: ['a:1'] } } });
    for (const part of [config, config.http, config.kafka, config.kafka.brokers]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });

  it('does not follow later changes of the file', () => {
    const brokers = ['a:1'];
    const { config } = resolved({ file: { kafka: { brokers } } });
    brokers.push('b:2');
    expect(config.kafka.brokers).toEqual(['a:1']);
  });
});

describe('faults', () => {
  it('come all at once, each with path, origin and a sentence', () => {
    expect(
      sentences({
        file: { name: 5, kafak: { brokers: [] }, http: { prot: 1 } },
        environment: { LOOPWARDEN_HTTP_PORT: '70000' },
        flags: { kafkaBrokers: ',' },
      }),
    ).toEqual([
      'kafak is no setting: correct its name or remove it.',
      'http.prot is no setting: correct its name or remove it.',
      'name (from file) must be text, and is 5.',
      'http.port (from LOOPWARDEN_HTTP_PORT) must lie between 0 and 65535, and is 70000.',
      'kafka.brokers (from --kafka-brokers) must be a list of texts without empty ones, and is ",".',
    ]);
  });

  it.each([
    [[], 'the file must be an object of settings.'],
    [null, 'the file must be an object of settings.'],
    [{ http: 5 }, 'http must be an object of settings.'],
    [JSON.parse('{"__proto__": {"http": 1}}'), '__proto__ is no setting: correct its name or remove it.'],
    [{ constructor: 1 }, 'constructor is no setting: correct its name or remove it.'],
  ])('a file of another shape: %j', (file, sentence) => {
    expect(sentences({ file })).toEqual([sentence]);
  });

  it('of relations join the others, but add nothing to a path already named', () => {
    const relations = [
      () => fault('http.token', 'must be set.'),
      () => fault('http.port', 'must be odd.'),
      () => null,
    ];
    const result = resolveConfig(table, { environment: {}, flags: { httpPort: 'x' } }, relations);
    expect(result.ok ? [] : result.faults.map(({ path, sentence }) => [path, sentence])).toEqual([
      ['http.port', 'http.port (from --http-port) must be a whole number, and is "x".'],
      ['http.token', 'http.token must be set.'],
    ]);
  });
});
