import type { LogReader, LogWriter } from '@loopwarden/stream';
import type { Codec, OperatorKeys } from '@loopwarden/wire';
import type { Facts } from './facts.ts';
import type { TopicNames } from './names.ts';

/** Looks a schema up by id: found, not known to the registry, or a rejection with `unavailable`. */
export type FindSchema = (id: number) => Promise<object | null>;

/** Everything that the partitions of one detector share. */
export interface Context {
  readonly topics: TopicNames;
  readonly reader: LogReader;
  readonly writer: LogWriter;
  readonly codec: Codec;
  readonly findSchema: FindSchema;
  /** Null: operator events need no signature. */
  readonly operatorKeys: OperatorKeys | null;
  readonly maxRuns: number;
  readonly facts: Facts;
}
