import {
  findSchemaIds,
  type KafkaLogLine,
  kafkaLog,
  readSchemaIds,
  schemaRegistry,
} from '@loopwarden/stream/kafka';
import { createRegisteredCodec, registrySubjects } from '@loopwarden/wire';
import type { Config } from '../config/settings.ts';
import type { OpenedLog } from '../open-log.ts';
import { topicNames } from '../topic-names.ts';
import { type Outcome, succeed } from '../user-error.ts';
import { kafkaAccess, registryAccess } from './kafka-access.ts';

/**
 * Opens the Kafka cluster of the configuration. Schema ids come from the id file, so that nothing waits for the
 * registry, else from the registry; schemas of other writers from the registry, when they are met. Rejects with
 * a `LogError`. `say` hears what the driver has to say.
 */
export async function openKafkaLog(
  config: Config,
  say: (line: KafkaLogLine) => void,
): Promise<Outcome<OpenedLog>> {
  const access = kafkaAccess(config);
  if (!access.ok) return access;
  const options = registryAccess(config);
  const registry = options === null ? null : schemaRegistry(options);
  const { idFile } = config.registry;
  const file = idFile === null ? [] : await readSchemaIds(idFile);
  const { prefix } = config.topics;
  const ids = await findSchemaIds(registrySubjects(prefix), { file, registry });
  return succeed({
    log: kafkaLog({ ...access.value, log: say }),
    codec: createRegisteredCodec(ids, prefix),
    findSchema: async (id) => (await registry?.findSchema(id)) ?? null,
    topics: topicNames(prefix),
    place: config.kafka.brokers.join(', '),
  });
}
