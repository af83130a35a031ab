import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../config/load-config.ts';
import type { Config } from '../config/settings.ts';
import { type OpenedLog, openLog } from '../open-log.ts';

/** Does something once a test is over. */
type Afterwards = (cleanUp: () => void | Promise<void>) => void;

/** A folder that goes away with the test. */
export async function temporaryFolder(afterwards: Afterwards): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'loopwarden-'));
  afterwards(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** An embedded log in a folder of its own, with few partitions. */
export async function temporaryLog(
  afterwards: Afterwards,
): Promise<{ config: Config; opened: OpenedLog; dataDir: string }> {
  const dataDir = join(await temporaryFolder(afterwards), 'data');
  const loaded = loadConfig({ dataDir, topicsPartitions: '3' }, 'operate', {});
  if (!loaded.ok) throw new Error(loaded.error.message);
  const { config } = loaded.value;
  const opened = await openLog(config, { create: true, say: () => undefined });
  if (!opened.ok) throw new Error(opened.error.message);
  afterwards(() => opened.value.log.close());
  return { config, opened: opened.value, dataDir };
}

/** What a partition holds, as it stands there. */
export async function recordsOf({ log }: OpenedLog, topic: string, partition = 0) {
  const records = [];
  for await (const batch of log.reader.read({ topic, partition, from: 'start', until: 'end' }))
    records.push(...batch.records);
  return records;
}
