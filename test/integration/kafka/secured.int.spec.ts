import { kafkaLog } from '@loopwarden/stream/kafka';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cluster, startCluster } from '../../setup/cluster.ts';
import { kafkaUnderTest, uniqueName } from '../../setup/kafka.ts';
import { makeTopic } from './traffic.ts';

const kafka = await kafkaUnderTest();

describe.skipIf(kafka === null)('a cluster behind TLS and SASL', () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await startCluster({ nodes: 1, secured: true });
  });

  afterAll(() => cluster?.stop());

  const security = () => {
    if (cluster.security === null) throw new Error('the cluster is open');
    return cluster.security;
  };

  it.each(['plain', 'scram256', 'scram512'] as const)(
    'lets a client with %s credentials write, consume and commit',
    async (mechanism) => {
      const { tls, sasl } = security();
      const log = kafkaLog({ brokers: cluster.brokers, tls, sasl: sasl[mechanism] });
      const topic = await makeTopic(log, uniqueName('secured'), 1);
      await log.writer().append([{ topic, partition: 0, key: 'run', value: Buffer.from('hidden') }]);
      const heard = Promise.withResolvers<string>();
      const group = await log.join(
        { group: topic, topic },
        {
          assigned: async () => 0,
          lost: () => undefined,
          failed: heard.reject,
          batch: async ({ records }) => heard.resolve(Buffer.from(records[0]?.value ?? []).toString()),
        },
      );
      expect(await heard.promise).toBe('hidden');
      await group.commit(topic, 0, { offset: 1, metadata: mechanism });
      const committed = await log.reader.committed(topic, topic);
      expect(committed.get(0)).toEqual({ offset: 1, metadata: mechanism });
      await log.close();
    },
  );

  it('refuses wrong credentials with a sentence that says so', async () => {
    const { tls, sasl } = security();
    const wrong = { ...sasl.scram256, password: 'guessed' };
    const log = kafkaLog({ brokers: cluster.brokers, tls, sasl: wrong });
    const listed = log.admin.topics();
    await expect(listed).rejects.toMatchObject({ code: 'refused' });
    await expect(listed).rejects.toThrow(/authentication/i);
    await log.close();
  });

  it('does not talk to a broker whose certificate it cannot check', async () => {
    const { sasl } = security();
    const log = kafkaLog({ brokers: cluster.brokers, tls: true, sasl: sasl.plain });
    await expect(log.admin.topics()).rejects.toThrow(/certificate/i);
    await log.close();
  });
});
