import { writeSync } from 'node:fs';
import { argv } from 'node:process';
import { openEmbeddedLog } from '../../embedded-log.ts';

// Own-forever DIR TOPIC GROUP LEASE-MS: joins a group, commits offset 1 of partition 0, and says what it owns.

const [dir = '', topic = '', group = '', leaseMs = ''] = argv.slice(2);
const log = await openEmbeddedLog({ dir, leaseMs: Number(leaseMs) });
const member = await log.join(
  { topic, group },
  {
    async assigned({ partition }) {
      writeSync(1, `owns ${partition}\n`);
      return 0;
    },
    lost: ({ partition }) => {
      writeSync(1, `lost ${partition}\n`);
    },
    async batch({ partition }) {
      await member.commit(topic, partition, { offset: 1, metadata: 'child' });
      writeSync(1, `committed ${partition}\n`);
    },
    failed: ({ message }) => {
      writeSync(1, `failed ${message}\n`);
    },
  },
);
