import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describeLogContract } from '../contract/index.ts';
import { openEmbeddedLog } from './embedded-log.ts';

describeLogContract('embedded', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'loopwarden-'));
  return {
    capabilities: { sharing: false },
    connect: () => openEmbeddedLog({ dir, leaseMs: 1000 }),
    async expel() {
      const db = new DatabaseSync(join(dir, 'log.sqlite'), { timeout: 1000 });
      db.exec(`UPDATE lease SET holder = '', until = 0`);
      db.close();
    },
    close: () => rm(dir, { recursive: true }),
  };
});
