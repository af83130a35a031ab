import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, expect, it } from 'vitest';
import { Rig } from './rig.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const rig = new Rig();

afterAll(() => rig.close());

/** Bytes in use once all garbage is gone: what weak references and finalizers hold goes a turn after the first round. */
async function used(): Promise<number> {
  for (let round = 0; round < 4; round += 1) {
    collect();
    await setImmediate();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

it('what has ended takes hardly any room: a run of many calls, whose signal was listened to, 1 KiB', async () => {
  const { gateway, facts } = await rig.connect();
  const serve = async (from: number, count: number): Promise<void> => {
    for (let index = from; index < from + count; index += 1) {
      const run = gateway.run({ runId: `run-${index}` });
      run.signal.addEventListener('abort', () => {});
      for (let number = 0; number < 70; number += 1) {
        const call = { callId: `c${number}`, tool: 'read', args: { path: `/${index}/${number}` } };
        await run.beforeCall(call);
        run.afterCall({ ...call, result: 'done' });
      }
      run.end('completed');
      if (index % 50 === 0) await emptied();
    }
    await emptied();
  };
  const emptied = async (): Promise<void> => {
    await rig.settle(100);
    rig.broker.trim('loopwarden.events', 0, Number.MAX_SAFE_INTEGER);
    facts.length = 0;
    rig.clock.advance(70_000);
  };
  await serve(0, 500);
  const before = await used();
  await serve(500, 1_000);
  expect(gateway.stats()).toMatchObject({ runs: 1_500, held: { records: 0 } });
  expect(((await used()) - before) / 1_000).toBeLessThan(1_024);
});
