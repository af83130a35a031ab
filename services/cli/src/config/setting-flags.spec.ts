import { settingNames } from '@loopwarden/runtime';
import { Command } from 'commander';
import { expect, it } from 'vitest';
import { loadConfig } from './load-config.ts';
import { withSettings } from './setting-flags.ts';
import { settings } from './settings.ts';

const entries = Object.entries(settings).map(([key, setting]) => ({
  key,
  setting,
  names: settingNames(key, setting),
}));

it('every setting but secrets has a flag under the name that the configuration looks for', () => {
  const taken = withSettings(new Command()).options.map((option) => [option.long, option.attributeName()]);
  const expected = entries
    .filter(({ names }) => names.flag !== null)
    .map(({ names }) => [names.flag, names.option]);
  expect(taken.slice(1)).toEqual(expected);
  const secrets = entries.filter(({ setting }) => setting.type === 'secret');
  expect(secrets.map(({ names }) => names.flag)).toEqual(secrets.map(() => null));
});

it('flags reach the configuration, a boolean without a value as true', () => {
  const args = [
    '--http-port',
    '0',
    '--kafka-brokers',
    'a:1,b:2',
    '--operator-allow-unsigned',
    '--http-enabled',
    'false',
  ];
  const options = withSettings(new Command()).parse(args, { from: 'user' }).opts();
  const loaded = loadConfig(options, 'serve', {});
  expect(loaded).toMatchObject({
    ok: true,
    value: {
      config: {
        http: { port: 0, enabled: false },
        kafka: { brokers: ['a:1', 'b:2'] },
        operator: { allowUnsigned: true },
      },
    },
  });
});

it('a detector beyond loopback needs keys or an explicit word; an operator there does not', () => {
  const remote = { log: 'kafka', kafkaBrokers: 'kafka.example:9092', registryUrl: 'http://registry.example' };
  expect(loadConfig(remote, 'serve', {})).toMatchObject({ ok: false, error: { code: 'bad_config' } });
  expect(loadConfig({ ...remote, operatorAllowUnsigned: true }, 'serve', {})).toMatchObject({ ok: true });
  expect(loadConfig(remote, 'operate', {})).toMatchObject({ ok: true });
});
