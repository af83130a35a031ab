import { createPublicKey, sign, verify } from 'node:crypto';

/** A key that signs. */
export interface SigningKey {
  readonly keyId: string;
  /** Ed25519, PKCS #8 PEM. */
  readonly privateKeyPem: string;
}

/** A key that operators' records are checked against. Keys are retired and never removed, so that old records stay true. */
export interface OperatorKey {
  readonly keyId: string;
  /** Ed25519, SPKI PEM. */
  readonly publicKeyPem: string;
  /** The first record timestamp (epoch milliseconds) that it is no longer good for; null: in use. */
  readonly retiredFrom: number | null;
  /**
   * The record timestamp (epoch milliseconds) from which it is there. What stood unsigned in a log before its first
   * key was good then, and stays so; null: there was no such time.
   */
  readonly since: number | null;
}

export type SignatureCode =
  | 'unsigned'
  | 'bad_signature_header'
  | 'unknown_key'
  | 'retired_key'
  | 'bad_signature';

export type Verified =
  /** `keyId` is null for what was written before there were keys. */
  | { readonly ok: true; readonly keyId: string | null }
  | { readonly ok: false; readonly code: SignatureCode; readonly detail: string };

/** All keys that ever signed. */
export type OperatorKeys = readonly OperatorKey[];

/** What a value is checked against: its `lw-signature` header and its record timestamp. */
export interface Claim {
  readonly header: string | null;
  readonly keys: OperatorKeys;
  /** Epoch milliseconds. */
  readonly at: number;
}

const SIGNATURE_BYTES = 64;
const HEADER = /^([^:]+):([A-Za-z0-9+/]+={0,2})$/;

/** The `lw-signature` header of a framed value. Throws if the key is no Ed25519 key or its id holds a colon. */
export function signValue(value: Uint8Array, { keyId, privateKeyPem }: SigningKey): string {
  if (!/^[^:]+$/.test(keyId)) throw new RangeError(`a key id is not empty and holds no colon: "${keyId}"`);
  return `${keyId}:${sign(null, value, privateKeyPem).toString('base64')}`;
}

/** Whether an operator wrote the value. The record timestamp, not the clock, decides whether a key was in use. */
export function verifyValue(value: Uint8Array, { header, keys, at }: Claim): Verified {
  if (header === null) {
    if (isBeforeKeys(keys, at)) return { ok: true, keyId: null };
    return failed('unsigned', 'the record carries no lw-signature header');
  }
  const [, keyId = '', base64 = ''] = HEADER.exec(header) ?? [];
  const signature = Buffer.from(base64, 'base64');
  if (signature.length !== SIGNATURE_BYTES) {
    return failed('bad_signature_header', 'lw-signature is not keyId:base64 of 64 bytes');
  }
  const key = keys.find((candidate) => candidate.keyId === keyId);
  if (key === undefined) return failed('unknown_key', `no operator key is named "${keyId}"`);
  if (key.retiredFrom !== null && at >= key.retiredFrom) {
    return failed('retired_key', `the key "${keyId}" was retired before the record was written`);
  }
  if (!verify(null, value, createPublicKey(key.publicKeyPem), signature)) {
    return failed('bad_signature', `the signature is not that of "${keyId}" for this value`);
  }
  return { ok: true, keyId };
}

/** Whether no key was there yet. The time is the log's, so nobody can write into the past. */
function isBeforeKeys(keys: OperatorKeys, at: number): boolean {
  return keys.length > 0 && keys.every(({ since }) => since !== null && at < since);
}

function failed(code: SignatureCode, detail: string): Verified {
  return { ok: false, code, detail };
}
