import { createRequire } from 'node:module';
import { Kafka, logLevel } from 'kafkajs';

/** The one request that kafkajs offers to members for themselves alone. */
interface LowerLayer {
  new (
    options: object,
  ): {
    connect(): Promise<void>;
    disconnect(): Promise<void>;
    findGroupCoordinator(of: { groupId: string }): Promise<{
      leaveGroup(of: { groupId: string; memberId: string }): Promise<unknown>;
    }>;
  };
}

/** Has every group go on without the members of a client, as a session timeout would: the client is not told. */
export async function expelClient(brokers: readonly string[], clientId: string): Promise<void> {
  const kafka = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING });
  const admin = kafka.admin();
  await admin.connect();
  const { groups } = await admin.listGroups();
  const described = await admin.describeGroups(groups.map(({ groupId }) => groupId));
  await admin.disconnect();
  for (const { groupId, members } of described.groups) {
    const member = members.find((one) => one.clientId === clientId);
    if (member !== undefined) await leaveFor({ brokers, groupId, memberId: member.memberId });
  }
}

async function leaveFor(of: {
  brokers: readonly string[];
  groupId: string;
  memberId: string;
}): Promise<void> {
  const require = createRequire(import.meta.url);
  const Cluster = require('kafkajs/src/cluster') as LowerLayer;
  const { createLogger } = require('kafkajs/src/loggers') as { createLogger(options: object): object };
  const socketFactory = require('kafkajs/src/network/socketFactory') as () => object;
  const cluster = new Cluster({
    brokers: [...of.brokers],
    clientId: 'expel',
    connectionTimeout: 1000,
    logger: createLogger({ level: logLevel.NOTHING, logCreator: () => () => undefined }),
    socketFactory: socketFactory(),
  });
  await cluster.connect();
  const coordinator = await cluster.findGroupCoordinator(of);
  await coordinator.leaveGroup(of);
  await cluster.disconnect();
}
