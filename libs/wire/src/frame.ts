/**
 * Before the body: a zero byte and the schema id, 4 bytes, big endian. The body alone is what two judgements of
 * one log have in common, byte for byte.
 */
export const HEADER_BYTES = 5;
/** Larger values are refused unread and never written. */
export const MAX_VALUE_BYTES = 1024 * 1024;

/** The id of the schema that a framed value was written with; null: not framed. */
export function schemaIdOf(value: Uint8Array): number | null {
  if (value.length <= HEADER_BYTES || value[0] !== 0) return null;
  return new DataView(value.buffer, value.byteOffset).getUint32(1);
}
