import { LogError, type LogErrorCode } from '@loopwarden/stream';
import { expect, it } from 'vitest';
import { untilReachable } from './patience.ts';
import { systemTime } from './time.ts';

/** Work that fails some times with a code before it is done, and what was said meanwhile. */
function failing(code: LogErrorCode, times: number) {
  const said: (string | null)[] = [];
  const pauses: number[] = [];
  let left = times;
  const work = async (): Promise<string> => {
    if (left === 0) return 'done';
    left -= 1;
    throw new LogError(code, 'It failed.');
  };
  const time = { every: () => undefined, pause: async (ms: number) => void pauses.push(ms) };
  const { signal } = new AbortController();
  const waiting = (detail: string | null): void => void said.push(detail);
  return { said, pauses, result: untilReachable(work, { time, signal, waiting }) };
}

it.each(['unavailable', 'full'] as const)('waits longer and longer while the log is %s', async (code) => {
  const { result, said, pauses } = failing(code, 7);
  expect(await result).toBe('done');
  expect(pauses).toEqual([50, 100, 200, 400, 800, 1600, 2000]);
  expect(said).toEqual([...Array(7).fill('It failed.'), null]);
});

it.each(['fenced', 'refused', 'corrupt', 'closed'] as const)(
  'tries nothing again that is %s',
  async (code) => {
    const { result, said } = failing(code, 1);
    await expect(result).rejects.toMatchObject({ code });
    expect(said).toEqual([]);
  },
);

it('ends when it is not wanted any more, with what it waited for', async () => {
  const wanted = new AbortController();
  const work = (): Promise<never> => Promise.reject(new LogError('full', 'It is full.'));
  const waiting = (): void => wanted.abort();
  const result = untilReachable(work, { time: systemTime, signal: wanted.signal, waiting });
  await expect(result).rejects.toMatchObject({ code: 'full', message: 'It is full.' });
});
