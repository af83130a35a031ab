import { expect, it } from 'vitest';
import { checkHealth } from './health.ts';

const ok = () => ({ ok: true, detail: 'Fine.' });
const waiting = () => ({ ok: false, detail: 'Partition 3 warms up.' });

it('is ok when every check is, and when there is none', () => {
  expect(checkHealth({}).ok).toBe(true);
  expect(checkHealth({ log: ok, partitions: ok }).ok).toBe(true);
});

it('names each check with its detail, and one that is not ok decides', () => {
  expect(checkHealth({ log: ok, partitions: waiting })).toEqual({
    ok: false,
    checks: [
      { name: 'log', ok: true, detail: 'Fine.' },
      { name: 'partitions', ok: false, detail: 'Partition 3 warms up.' },
    ],
  });
});

it('a check that throws is not ok, and the others are heard', () => {
  const broken = (): never => {
    throw new Error('boom');
  };
  const health = checkHealth({ broken, log: ok });
  expect(health.ok).toBe(false);
  expect(health.checks).toHaveLength(2);
  expect(health.checks[0]?.detail).toContain('boom');
});
