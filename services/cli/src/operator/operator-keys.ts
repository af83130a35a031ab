import type { OperatorKeys, SigningKey } from '@loopwarden/wire';
import type { Config } from '../config/settings.ts';
import { type Outcome, refuse, succeed } from '../user-error.ts';
import { publicHalf, readOperatorKeys, readSigningKey } from './key-files.ts';

/** The public keys of the configuration; null: operators' records need no signature. */
export function operatorKeysOf({ operator }: Config): Outcome<OperatorKeys | null> {
  return operator.keys === null ? succeed(null) : readOperatorKeys(operator.keys);
}

/**
 * What an operator signs with; null: nothing, and nothing asks for it. Where public keys are configured, a
 * signature that detectors would refuse is refused here, before anything is written.
 */
export function signingKeyOf(config: Config, now = Date.now()): Outcome<SigningKey | null> {
  const path = config.operator.signingKey;
  const keys = operatorKeysOf(config);
  if (!keys.ok) return keys;
  if (path === null) return keys.value === null ? succeed(null) : refuse('unsigned', UNSIGNED);
  const key = readSigningKey(path);
  if (!key.ok || keys.value === null) return key;
  const fault = faultOf(key.value, keys.value, now);
  return fault === null ? key : refuse(fault.code, fault.message);
}

const UNSIGNED =
  'Operators of this log sign what they write (operator.keys is set). Name your private key with --key or operator.signingKey.';

function faultOf({ keyId, privateKeyPem }: SigningKey, keys: OperatorKeys, now: number) {
  const known = keys.find((candidate) => candidate.keyId === keyId);
  if (known === undefined) {
    const message = `The key "${keyId}" is not among operator.keys. Add its public half there, and restart detectors and gateways.`;
    return { code: 'unknown_key', message };
  }
  if (known.retiredFrom !== null && now >= known.retiredFrom) {
    const when = new Date(known.retiredFrom).toISOString();
    return {
      code: 'retired_key',
      message: `The key "${keyId}" was retired at ${when}. Sign with another one.`,
    };
  }
  if (publicHalf(privateKeyPem) === publicHalf(known.publicKeyPem)) return null;
  const message = `The key "${keyId}" is another one than operator.keys has under that id. Give it an id of its own.`;
  return { code: 'other_key', message };
}
