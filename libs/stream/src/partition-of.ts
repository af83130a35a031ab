const SEED = 0x9747b28c;
const MULTIPLIER = 0x5bd1e995;
const encoder = new TextEncoder();

/**
 * The partition of a key: murmur2 of its UTF-8 bytes as Kafka's Java client computes it, made positive,
 * modulo the number of partitions. Events and verdicts of one run meet in one partition by this rule alone.
 */
export function partitionOf(key: string | Uint8Array, partitions: number): number {
  const bytes = typeof key === 'string' ? encoder.encode(key) : key;
  return (murmur2(bytes) & 0x7fffffff) % partitions;
}

/** Murmur2 with the Java client's seed, as a signed 32-bit integer. */
export function murmur2(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const tail = bytes.length & ~3;
  let hash = SEED ^ bytes.length;
  for (let at = 0; at < tail; at += 4) {
    const word = scramble(view.getInt32(at, true));
    hash = Math.imul(hash, MULTIPLIER) ^ word;
  }
  const rest = bytes.length - tail;
  if (rest > 2) hash ^= view.getUint8(tail + 2) << 16;
  if (rest > 1) hash ^= view.getUint8(tail + 1) << 8;
  if (rest > 0) hash = Math.imul(hash ^ view.getUint8(tail), MULTIPLIER);
  hash = Math.imul(hash ^ (hash >>> 13), MULTIPLIER);
  return hash ^ (hash >>> 15);
}

function scramble(word: number): number {
  const mixed = Math.imul(word, MULTIPLIER);
  return Math.imul(mixed ^ (mixed >>> 24), MULTIPLIER);
}
