export { kafkaLog } from './kafka-log.ts';
export type { KafkaLogLine, KafkaOptions, KafkaSasl, KafkaTimings, KafkaTls } from './options.ts';
export type { CompatibilityDrift, SchemaCheck, SchemaState, SubjectSpec } from './registration.ts';
export { checkSchemas, registerSchemas } from './registration.ts';
export type { SchemaRegistry } from './registry.ts';
export { schemaRegistry } from './registry.ts';
export type { RegistryOptions } from './registry-client.ts';
export type { SchemaId } from './schema-ids.ts';
export { findSchemaIds, readSchemaIds, writeSchemaIds } from './schema-ids.ts';
