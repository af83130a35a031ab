import {
  findSchemaIds,
  type KafkaOptions,
  kafkaLog,
  type RegistryOptions,
  readSchemaIds,
  schemaRegistry,
} from '@loopwarden/stream/kafka';
import { createRegisteredCodec, registrySubjects } from '@loopwarden/wire';
import type { Connection } from '../connection.ts';
import { checkText, checkTexts, fieldsOf, isGiven } from '../given.ts';

export type {
  KafkaLogLine,
  KafkaOptions,
  KafkaSasl,
  KafkaTimings,
  KafkaTls,
  RegistryOptions,
} from '@loopwarden/stream/kafka';

export interface KafkaConnectionOptions extends KafkaOptions {
  /** Where schemas are looked up. Needed unless there is an id file, and for records of later versions. */
  readonly registry?: RegistryOptions;
  /** The file that `loopwarden schemas register` writes: with it, nothing waits for the registry at start. */
  readonly schemaIds?: string;
  /** Prefix of the topics, as in `connect`; `loopwarden.` unless given. */
  readonly prefix?: string;
}

/**
 * Opens a Kafka cluster for a gateway. Rejects with a `GatewayError` with code `bad_option`, or a `LogError`: `corrupt` for an id file that is none, `refused`
 * where a schema is not registered, `unavailable` while a registry that is needed cannot be reached.
 */
export async function openKafka(options: KafkaConnectionOptions): Promise<Connection> {
  checkOptions(options);
  const { registry: access, schemaIds, prefix = 'loopwarden.', ...kafka } = options;
  const registry = access === undefined ? null : schemaRegistry(access);
  const file = schemaIds === undefined ? [] : await readSchemaIds(schemaIds);
  const ids = await findSchemaIds(registrySubjects(prefix), { file, registry });
  return {
    log: kafkaLog(kafka),
    codec: createRegisteredCodec(ids, prefix),
    findSchema: async (id) => (await registry?.findSchema(id)) ?? null,
  };
}

function checkOptions(options: unknown): void {
  const given = fieldsOf('What was given to openKafka', options);
  checkTexts('brokers', given.brokers);
  for (const text of ['schemaIds', 'prefix', 'clientId'])
    if (isGiven(given[text])) checkText(text, given[text]);
  if (isGiven(given.registry)) checkText('registry.url', fieldsOf('registry', given.registry).url);
}
