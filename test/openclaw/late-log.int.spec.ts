import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbedded } from '@loopwarden/gateway/embedded';
import { topicsOf } from '@loopwarden/schemas';
import { expect, it, onTestFinished, vi } from 'vitest';
import { RecordedHost } from './recorded-host.ts';

it('before there is a log the plugin says so, makes none, and guards as soon as there is one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'loopwarden-openclaw-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const dir = join(folder, 'data');
  const host = new RecordedHost(undefined, { log: { dir } });
  await host.call('gateway_start', {});
  const call = { toolName: 'read', params: {}, runId: 'r', toolCallId: 'c' };
  expect(await host.call('before_tool_call', call, { runId: 'r' })).toBeUndefined();
  await vi.waitFor(() => expect(host.said).toEqual([expect.stringContaining(`There is no log in ${dir}.`)]));
  expect(existsSync(dir)).toBe(false);

  const { log } = await openEmbedded({ dir, create: true });
  onTestFinished(() => log.close());
  await log.admin.apply(topicsOf({ prefix: 'loopwarden.', partitions: 1 }));
  await vi.waitFor(
    async () => expect(await log.reader.ranges('loopwarden.events')).toMatchObject([{ end: 2 }]),
    {
      timeout: 10_000,
    },
  );
  expect(host.said).toContainEqual(expect.stringContaining('guards from here on'));
  await host.call('gateway_stop', {});
});
