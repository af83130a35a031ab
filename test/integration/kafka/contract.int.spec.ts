import type { Log } from '@loopwarden/stream';
import { describeLogContract } from '@loopwarden/stream/contract';
import { kafkaLog } from '@loopwarden/stream/kafka';
import { describe } from 'vitest';
import { expelClient } from '../../setup/expel.ts';
import { kafkaUnderTest, uniqueName } from '../../setup/kafka.ts';

const kafka = await kafkaUnderTest();

describe.skipIf(kafka === null)('on a broker', () => {
  describeLogContract('kafka', async () => {
    const brokers = kafka?.brokers ?? [];
    const clients = new Map<Log, string>();
    return {
      capabilities: { sharing: true },
      patience: 20_000,
      connect: async () => {
        const clientId = uniqueName('contract');
        const log = kafkaLog({
          brokers,
          clientId,
          timings: { heartbeat: 200, session: 6_000, rebalance: 2_000 },
        });
        clients.set(log, clientId);
        return log;
      },
      expel: (log) => expelClient(brokers, clients.get(log) ?? ''),
      close: async () => clients.clear(),
    };
  });
});
