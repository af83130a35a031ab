import { argv } from 'node:process';
import { LogError } from '@loopwarden/stream';
import { kafkaLog } from '@loopwarden/stream/kafka';
import { consumedFrom } from './traffic.ts';

// Consumer-process BROKERS TOPIC GROUP PAUSE SESSION [INSTANCE]: a member that works PAUSE ms on each batch, commits it, and says what it does, a line each.

const [brokers = '', topic = '', group = '', workMs = '0', session = '0', instance] = argv.slice(2);
const say = (event: object): void =>
  void process.stdout.write(`${JSON.stringify({ at: Date.now(), ...event })}\n`);
say({ event: 'begun' });
const log = kafkaLog({
  brokers: brokers.split(','),
  timings: { session: Number(session), rebalance: 6_000, heartbeat: 300 },
});

const member = await log.join(
  { group, topic, batchSize: 50, ...(instance === undefined ? {} : { instance }) },
  {
    assigned: async ({ partition, committed }) => {
      say({ event: 'assigned', partition, from: committed?.offset ?? 0 });
      return committed?.offset ?? 0;
    },
    lost: ({ partition }) => say({ event: 'lost', partition }),
    failed: ({ code, message }) => say({ event: 'failed', code, message }),
    batch: async ({ partition, records }) => {
      say({ event: 'batch', partition, consumed: records.map(consumedFrom) });
      await new Promise((resolve) => setTimeout(resolve, Number(workMs)));
      const offset = (records.at(-1)?.offset ?? 0) + 1;
      try {
        await member.commit(topic, partition, { offset, metadata: '{}' });
        say({ event: 'committed', partition, offset });
      } catch (error) {
        say({ event: 'refused', partition, code: error instanceof LogError ? error.code : String(error) });
      }
    },
  },
);
say({ event: 'joined' });

process.on('SIGTERM', async () => {
  await log.close();
  say({ event: 'left' });
  process.exit(0);
});
