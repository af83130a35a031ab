import { describe, expect, it } from 'vitest';
import { createLogger, type LoggerOptions } from './logger.ts';

function logging(level: LoggerOptions['level'] = 'info') {
  const lines: Record<string, unknown>[] = [];
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) };
  return { lines, log: createLogger({ level, format: 'json', output: 'stdout', stream }) };
}

describe('a log line', () => {
  it('is JSON with level, time, message and facts', () => {
    const { lines, log } = logging();
    log.warn('Runs were forgotten.', { partition: 3, runs: 12 });
    expect(lines).toEqual([
      expect.objectContaining({ level: 'warn', msg: 'Runs were forgotten.', partition: 3, runs: 12 }),
    ]);
    expect(Date.parse(String(lines[0]?.time))).not.toBeNaN();
  });

  it('names the component it comes from', () => {
    const { lines, log } = logging();
    log.child('kafka', { group: 'g' }).error('Broken.');
    expect(lines[0]).toMatchObject({ level: 'error', component: 'kafka', group: 'g' });
  });

  it('holds no secret: not in fields, not in what a child carries, not in the message', () => {
    const { lines, log } = logging();
    log
      .child('kafka', { password: 'hunter2' })
      .info('To http://u:hunter2@h', { sasl: { password: 'hunter2' } });
    expect(lines).toHaveLength(1);
    expect(JSON.stringify(lines)).not.toContain('hunter2');
  });

  it("keeps its own level when a fact has the same name, as a warning's level has", () => {
    const { lines, log } = logging();
    log.info('Warned.', { level: 2 });
    expect(lines[0]).toMatchObject({ level: 'info', level_: 2 });
  });
});

it.each([
  ['debug', ['debug', 'info', 'warn', 'error']],
  ['info', ['info', 'warn', 'error']],
  ['error', ['error']],
  ['silent', []],
] as const)('level %s writes %j', (level, written) => {
  const { lines, log } = logging(level);
  for (const name of ['debug', 'info', 'warn', 'error'] as const) log.child('c')[name](name);
  expect(lines.map((line) => line.level)).toEqual(written);
});
