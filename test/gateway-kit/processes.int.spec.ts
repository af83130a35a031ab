import { join } from 'node:path';
import { expect, it } from 'vitest';
import { play } from './play.ts';
import { ProcessAdapter } from './process-adapter.ts';
import { readScenarios } from './scenario-files.ts';

const program = new URL('sdk-process.ts', import.meta.url).pathname;

it('plays to a gateway in a process of its own, a line in and a line out', async () => {
  const command = [process.execPath, program];
  for (const scenario of readScenarios().slice(0, 3)) {
    expect(await play(scenario, new ProcessAdapter(command))).toEqual([]);
  }
});

it('says so where the gateway ends instead of answering', async () => {
  const [scenario] = readScenarios();
  if (scenario === undefined) throw new Error('there are no scenarios');
  const ends = new ProcessAdapter([process.execPath, join('/', 'no-such-program.js')]);
  await expect(play(scenario, ends)).rejects.toThrow('ended without an answer');
});
