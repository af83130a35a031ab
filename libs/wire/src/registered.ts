import {
  current,
  published,
  type RecordName,
  subjectOf,
  type TopicDeclaration,
  topicOf,
} from '@loopwarden/schemas';
import { type Codec, createCodec, type SchemaIds } from './codec.ts';

/** The published versions of one record, as a registry has them under one subject. */
export interface RegistrySubject {
  readonly subject: string;
  readonly compatibility: TopicDeclaration['compatibility'];
  /** Parsed schemas, oldest first. */
  readonly versions: readonly unknown[];
}

/** The id that a registry gave a version (1 the oldest) of a subject. */
export interface RegisteredId {
  readonly subject: string;
  readonly version: number;
  readonly id: number;
}

/** Every published version of every record, by registry subject. `prefix`: that of the topics. */
export function registrySubjects(prefix: string): readonly RegistrySubject[] {
  return Object.values(current).map(({ record }) => ({
    subject: subjectOf(record, prefix),
    compatibility: topicOf(record).compatibility,
    versions: published.filter((version) => version.record === record).map(({ schema }) => schema),
  }));
}

/** The codec over a registry's ids: writes the newest version of each record, and reads every registered one. */
export function createRegisteredCodec(ids: readonly RegisteredId[], prefix: string): Codec {
  const byVersion = new Map(ids.map(({ subject, version, id }) => [`${subject} ${version}`, id]));
  const idOf = (record: RecordName, version: number) =>
    byVersion.get(`${subjectOf(record, prefix)} ${version}`);
  const written = Object.values(current).map(({ record, version }) => [record, idOf(record, version)]);
  const schemas = published.flatMap(({ record, version, schema }) => {
    const id = idOf(record, version);
    return id === undefined ? [] : [[id, schema] as const];
  });
  return createCodec({ ids: Object.fromEntries(written) as SchemaIds, schemas });
}
