import { expect, it } from 'vitest';
import { resolveConfig } from './config.ts';
import { describeConfig } from './describe-config.ts';
import { settingsTable } from './setting.ts';

const table = settingsTable({
  'http.port': { type: 'integer', default: 80, text: 'Port.' },
  'http.token': { type: 'secret', default: null, text: 'Token.' },
  'other.token': { type: 'secret', default: null, text: 'Token.' },
  'kafka.brokers': { type: 'list', default: ['a:1', 'b:2'], text: 'Brokers.' },
  'stop.deadline': { type: 'duration', default: 20_000, text: 'Deadline.' },
  'batch.size': { type: 'size', default: 1024, text: 'Size.' },
});

const sources = { environment: { LOOPWARDEN_HTTP_TOKEN: 'hunter2-hunter2' }, flags: { httpPort: 81 } };

function described() {
  const result = resolveConfig(table, sources);
  if (!result.ok) throw new Error('The example must resolve.');
  return describeConfig(table, result.config, result.origins);
}

it('shows every setting with its effective value and where it came from', () => {
  expect(described().map(({ key, value, origin }) => [key, value, origin])).toEqual([
    ['http.port', '81', '--http-port'],
    ['http.token', '********', 'LOOPWARDEN_HTTP_TOKEN'],
    ['other.token', null, 'default'],
    ['kafka.brokers', 'a:1,b:2', 'default'],
    ['stop.deadline', '20000ms', 'default'],
    ['batch.size', '1024B', 'default'],
  ]);
});

it('holds no secret', () => {
  expect(JSON.stringify(described())).not.toContain('hunter2');
});

it('shows values that can be given back through the environment', () => {
  const environment = Object.fromEntries(
    described()
      .filter(({ flag, value }) => flag !== null && value !== null)
      .map(({ environment: name, value }) => [name, value ?? undefined]),
  );
  const again = resolveConfig(table, { environment, flags: {} });
  const first = resolveConfig(table, { environment: {}, flags: sources.flags });
  expect(again.ok && again.config).toEqual(first.ok && first.config);
});
