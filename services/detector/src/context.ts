import type { LogReader, LogWriter } from '@loopwarden/stream';
import type { Codec, OperatorKeys } from '@loopwarden/wire';
import type { Facts } from './facts.ts';
import type { TopicNames } from './names.ts';
import type { StateLayout } from './state/layout.ts';
import type { Time } from './time.ts';

/**
 * Looks a schema up by id: the parsed schema, or null where the registry knows none. Rejects with a `LogError`
 * `unavailable` while the registry cannot be reached.
 */
export type FindSchema = (id: number) => Promise<unknown>;

/** Everything that the partitions of one detector share. */
export interface Context {
  readonly topics: TopicNames;
  readonly reader: LogReader;
  readonly writer: LogWriter;
  /** Apart from the other, so that verdicts never queue behind state. */
  readonly stateWriter: LogWriter;
  readonly codec: Codec;
  readonly findSchema: FindSchema;
  /** Null: operator events need no signature. */
  readonly operatorKeys: OperatorKeys | null;
  readonly maxRuns: number;
  /** How state is written and read; absent: as this version does. */
  readonly layout?: StateLayout;
  readonly time: Time;
  readonly facts: Facts;
}
