import { createPrivateKey, createPublicKey } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { OperatorKey, OperatorKeys, SigningKey } from '@loopwarden/wire';
import { at, isObject, parseJson, stringAt } from '../json-value.ts';
import { type Outcome, refuse, succeed } from '../user-error.ts';

/** A key id stands before a colon in a header, and names a file. */
export const KEY_ID = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/;

/** Reads the public keys that operators' records are checked against. */
export function readOperatorKeys(path: string): Outcome<OperatorKeys> {
  const text = textOf(path);
  if (text === null)
    return refuse('keys_unreadable', `The keys file "${path}" cannot be read. Check the path.`);
  const value = parseJson(text);
  const entries: readonly unknown[] = Array.isArray(value) ? value : [undefined];
  const keys = entries.map(operatorKey);
  const valid = keys.filter((key) => key !== null);
  const distinct = new Set(valid.map(({ keyId }) => keyId)).size === keys.length;
  if (distinct) return succeed(valid);
  return refuse(
    'bad_keys',
    `The keys file "${path}" must be a JSON list of {"keyId", "publicKeyPem", "retiredFrom", "since"}, each id once, each key Ed25519.`,
  );
}

/** Reads the private key of an operator. */
export function readSigningKey(path: string): Outcome<SigningKey> {
  const text = textOf(path);
  if (text === null) return refuse('key_unreadable', `The key "${path}" cannot be read. Check the path.`);
  const value = parseJson(text);
  const keyId = stringAt(value, 'keyId') ?? '';
  const privateKeyPem = stringAt(value, 'privateKeyPem') ?? '';
  if (KEY_ID.test(keyId) && isEd25519(() => createPrivateKey(privateKeyPem))) {
    return succeed({ keyId, privateKeyPem });
  }
  return refuse('bad_key', `"${path}" is no private key of ours. Make one with: loopwarden keys new`);
}

/** Writes the keys whole, so that a reader sees the old file or the new one. */
export function writeOperatorKeys(path: string, keys: OperatorKeys): void {
  const draft = `${path}.${process.pid}.draft`;
  writeFileSync(draft, `${JSON.stringify(keys, null, 2)}\n`);
  renameSync(draft, path);
}

/** The public half of a private key, SPKI PEM. */
export function publicHalf(privateKeyPem: string): string {
  return createPublicKey(privateKeyPem).export({ type: 'spki', format: 'pem' }).toString();
}

function operatorKey(value: unknown): OperatorKey | null {
  if (!isObject(value)) return null;
  const keyId = stringAt(value, 'keyId') ?? '';
  const publicKeyPem = stringAt(value, 'publicKeyPem') ?? '';
  const retiredFrom = at(value, 'retiredFrom') ?? null;
  const since = at(value, 'since') ?? null;
  if (!isTimeOrNull(retiredFrom) || !isTimeOrNull(since)) return null;
  const sound = KEY_ID.test(keyId) && isEd25519(() => createPublicKey(publicKeyPem));
  return sound ? { keyId, publicKeyPem, retiredFrom, since } : null;
}

function isTimeOrNull(value: unknown): value is number | null {
  return value === null || Number.isSafeInteger(value);
}

function isEd25519(read: () => { asymmetricKeyType?: string }): boolean {
  try {
    return read().asymmetricKeyType === 'ed25519';
  } catch {
    return false;
  }
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
