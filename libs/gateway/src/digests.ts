import { createHmac, hash } from 'node:crypto';
import type { Hash } from '@loopwarden/detection';

/** A secret that digests are made with. */
export interface DigestKey {
  /** Stands in every event, so that digests of two keys are told apart. */
  readonly id: string;
  readonly secret: string | Uint8Array;
}

/** SHA-256 of a text, or its HMAC where there is a key. */
export function hashWith(key: DigestKey | null): Hash {
  if (key === null) return (text) => hash('sha256', text, 'hex');
  return (text) => createHmac('sha256', key.secret).update(text).digest('hex');
}
