import type { LoopEvent, Mark, ReadEvent, Verdict } from '@loopwarden/detection';
import { current, embeddedIdOf, published, type RecordName } from '@loopwarden/schemas';
import type { DeadLetter } from './dead-letter.ts';
import type { Decoded } from './decoded.ts';
import { createDecoder } from './decoder.ts';
import { createEncoder } from './encoder.ts';
import { CONTROL, type Control, DEAD_LETTERS, EVENTS, POLICIES, STATE } from './family.ts';
import type { PolicyRevision } from './policy-revision.ts';
import type { StateRecord } from './state-record.ts';

/** Schema ids by record: what a writer puts before a body. */
export type SchemaIds = Readonly<Record<RecordName, number>>;

export interface CodecOptions {
  /** Ids of the current version of each record; their schemas are known. */
  readonly ids: SchemaIds;
  /** Schemas of other ids, as parsed JSON; more come by `addSchema`. */
  readonly schemas?: Iterable<readonly [id: number, schema: unknown]>;
}

/**
 * Domain values to framed bytes and back. Encoding throws a `RangeError` for a value that its own type
 * forbids or that is over 1 MiB, and writes the same bytes for the same value. Decoding never throws.
 */
export interface Codec {
  encodeEvent(event: LoopEvent): Uint8Array;
  encodeVerdict(verdict: Verdict): Uint8Array;
  encodeMark(mark: Mark): Uint8Array;
  encodePolicyRevision(revision: PolicyRevision): Uint8Array;
  /** Keeps the first 1 KiB of the key and 512 KiB of the value. */
  encodeDeadLetter(letter: DeadLetter): Uint8Array;
  encodeState(record: StateRecord): Uint8Array;
  /** An event of a later version is a value of type `unknown`: its sequence still counts. */
  decodeEvent(value: Uint8Array): Decoded<ReadEvent>;
  decodeControl(value: Uint8Array): Decoded<Control>;
  decodePolicyRevision(value: Uint8Array): Decoded<PolicyRevision>;
  decodeDeadLetter(value: Uint8Array): Decoded<DeadLetter>;
  decodeState(value: Uint8Array): Decoded<StateRecord>;
  /** Whether the schema of an id is known. */
  knows(id: number): boolean;
  /** Makes a writer's schema (parsed JSON) known. An id keeps its first schema, as in a registry. */
  addSchema(id: number, schema: unknown): void;
}

export function createCodec({ ids, schemas = [] }: CodecOptions): Codec {
  const known = new Map<number, unknown>(schemas);
  for (const { record, schema } of Object.values(current)) known.set(ids[record], schema);
  return {
    ...createEncoder(ids),
    decodeEvent: createDecoder(EVENTS, known),
    decodeControl: createDecoder(CONTROL, known),
    decodePolicyRevision: createDecoder(POLICIES, known),
    decodeDeadLetter: createDecoder(DEAD_LETTERS, known),
    decodeState: createDecoder(STATE, known),
    knows: (id) => known.has(id),
    addSchema(id, schema) {
      if (!known.has(id)) known.set(id, schema);
    },
  };
}

/** The codec of the embedded log: ids from the fixed table, all published versions known. */
export function createEmbeddedCodec(): Codec {
  const schemas = published.map(({ embeddedId, schema }) => [embeddedId, schema] as const);
  return createCodec({ ids: embeddedIdOf, schemas });
}
