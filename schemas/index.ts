export type { AvroField, AvroRecord, RecordName } from './avro-schema.ts';
export type { PublishedVersion } from './published.ts';
export { current, embeddedIdOf, published } from './published.ts';
export type { Compatibility, TopicDeclaration, TopicName } from './topics.ts';
export { DEFAULT_PREFIX, subjectOf, topicOf, topics, topicsOf } from './topics.ts';
