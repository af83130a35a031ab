import type { RecordName } from './avro-schema.ts';
import declared from './topics.json' with { type: 'json' };

export type TopicName = 'events' | 'control' | 'state' | 'policies' | 'dead-letters';

/** How far versions of a record must understand each other, in the words of schema registries. */
export type Compatibility = 'BACKWARD_TRANSITIVE' | 'FULL_TRANSITIVE';

/** One topic as declared, its name without prefix. */
export interface TopicDeclaration {
  readonly name: TopicName;
  readonly doc: string;
  /** Default number of partitions. */
  readonly partitions: number;
  /** Whether the number of partitions is that of events (N), whatever N is. */
  readonly partitionsShared: boolean;
  readonly key: 'run' | 'snapshot' | 'none';
  /** `keep`: nothing is ever removed. */
  readonly cleanup: 'delete' | 'compact' | 'keep';
  /** Milliseconds; null: no limit. */
  readonly retentionMs: number | null;
  readonly timestamps: 'append' | 'create';
  /** Largest batch that the topic takes, in bytes: one value of 1 MiB with its key and headers. */
  readonly maxMessageBytes: number;
  /** What is written there. */
  readonly records: readonly RecordName[];
  readonly compatibility: Compatibility;
}

/** Prefix of topic names unless configured otherwise. */
export const DEFAULT_PREFIX = 'loopwarden.';

export const topics: readonly TopicDeclaration[] = declared as readonly TopicDeclaration[];

/** The topics of one installation: names with prefix, and `partitions` (N) where N applies. */
export function topicsOf(options: {
  prefix: string;
  partitions: number;
}): readonly (Omit<TopicDeclaration, 'name'> & { name: string })[] {
  return topics.map((topic) => ({
    ...topic,
    name: `${options.prefix}${topic.name}`,
    partitions: topic.partitionsShared ? options.partitions : topic.partitions,
  }));
}

/** The topic that a record is written to, without prefix. */
export function topicOf(record: RecordName): TopicDeclaration {
  const topic = topics.find(({ records }) => records.includes(record));
  if (topic === undefined) throw new Error(`${record} stands in no topic of topics.json`);
  return topic;
}

/** The registry subject of a record: topic name with prefix and full record name, so that records evolve alone. */
export function subjectOf(record: RecordName, prefix: string): string {
  return `${prefix}${topicOf(record).name}-${record}`;
}
