/**
 * Before the body: a zero byte and the schema id, 4 bytes, big endian. The body alone is what two judgements of
 * one log have in common, byte for byte.
 */
export const HEADER_BYTES = 5;
/** Larger values are refused unread and never written. */
export const MAX_VALUE_BYTES = 1024 * 1024;

/** The id of the schema that a framed value was written with; null: not framed. */
export function schemaIdOf(value: Uint8Array): number | null {
  return value.length <= HEADER_BYTES || value[0] !== 0 ? null : idAt(value, 1);
}

/** Four bytes, big endian: without a view of the buffer, which would cost more than the rest. */
export function idAt(bytes: Uint8Array, at: number): number {
  let id = 0;
  for (let index = at; index < at + 4; index++) id = (id << 8) | (bytes[index] ?? 0);
  return id >>> 0;
}
