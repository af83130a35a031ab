import { silentLogger } from '@loopwarden/runtime';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openLog } from '../open-log.ts';
import { temporaryLog } from '../testing/temporary-log.ts';
import { addDetector } from './start-stack.ts';

it('of two detectors on one embedded log the second is ready and says that it stands by, until it takes over', async () => {
  const { config } = await temporaryLog(onTestFinished);
  const first = await detectorOn(config);
  await vi.waitFor(async () => expect(await first.readyz()).toEqual({ ok: true, detail: '' }));
  const second = await detectorOn(config);
  expect(await second.readyz()).toEqual({ ok: true, detail: expect.stringContaining('stands by') });
  await first.close();
  await vi.waitFor(async () => expect(await second.readyz()).toEqual({ ok: true, detail: '' }), 5_000);
});

/** A detector with a connection of its own; what it says of its partitions. */
async function detectorOn(config: Parameters<typeof openLog>[0]) {
  const opened = await openLog(config, { create: false, say: () => undefined });
  if (!opened.ok) throw new Error(opened.error.message);
  onTestFinished(() => opened.value.log.close());
  const closings: (() => Promise<void> | void)[] = [];
  const lifecycle = {
    closing: (_name: string, close: () => Promise<void> | void) => void closings.push(close),
  };
  const anyPort = { ...config, http: { ...config.http, port: 0 } };
  const port = await addDetector(opened.value, { config: anyPort, logger: silentLogger, lifecycle });
  if (!port.ok) throw new Error(port.error.message);
  const close = async (): Promise<void> => {
    for (const one of closings.splice(0)) await one();
  };
  onTestFinished(close);
  const readyz = async () => {
    const response = await fetch(`http://127.0.0.1:${port.value}/readyz`);
    const { ok, checks } = (await response.json()) as {
      ok: boolean;
      checks: { name: string; detail: string }[];
    };
    return { ok, detail: checks.find(({ name }) => name === 'partitions')?.detail };
  };
  return { readyz, close };
}
