import { expect, it, onTestFinished, vi } from 'vitest';
import { commandConfig } from './command-config.ts';

it('a command says which variables it passes over, and goes on with the others', () => {
  vi.stubEnv('LOOPWARDEN_HTTP_PROT', '1');
  vi.stubEnv('LOOPWARDEN_HTTP_PORT', '2');
  onTestFinished(() => void vi.unstubAllEnvs());
  const err: string[] = [];
  const output = { out: () => undefined, err: (line: string) => void err.push(line), paint: String };
  expect(commandConfig({}, 'operate', output)).toMatchObject({
    ok: true,
    value: { config: { http: { port: 2 } } },
  });
  expect(err).toEqual([
    'loopwarden: LOOPWARDEN_HTTP_PROT is no setting: did you mean LOOPWARDEN_HTTP_PORT? [unknown_variable]',
  ]);
});
