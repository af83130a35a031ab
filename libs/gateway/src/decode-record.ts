import type { InRecord } from '@loopwarden/stream';
import { type Codec, type Decoded, schemaIdOf } from '@loopwarden/wire';
import type { Connection } from './connection.ts';

/** A record's value, once its schema is known. Rejects when the schema cannot be looked up now. */
export async function decodeRecord<T>(
  connection: Connection,
  { value }: InRecord,
  decode: (codec: Codec, value: Uint8Array) => Decoded<T>,
): Promise<{ ok: true; value: T } | { ok: false; detail: string }> {
  if (value === null) return { ok: false, detail: 'The record has no value.' };
  const { codec } = connection;
  const id = schemaIdOf(value);
  if (id !== null && !codec.knows(id)) {
    const schema = await connection.findSchema(id);
    if (schema !== null) codec.addSchema(id, schema);
  }
  return decode(codec, value);
}
