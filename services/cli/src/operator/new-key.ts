import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { OperatorKeys } from '@loopwarden/wire';
import type { Config } from '../config/settings.ts';
import { timeText } from '../terminal/time-text.ts';
import { type Outcome, refuse, succeed } from '../user-error.ts';
import { KEY_ID, readOperatorKeys, writeOperatorKeys } from './key-files.ts';

/** Where keys are kept. */
export interface KeyFiles {
  /** The public keys, for detectors and gateways. */
  readonly keys: string;
  /** Folder of private keys. */
  readonly folder: string;
}

export function keyFilesOf({ dataDir, operator }: Config): KeyFiles {
  const folder = join(dataDir, 'keys');
  return { folder, keys: operator.keys ?? join(folder, 'operators.json') };
}

/** Makes a key pair: the private half in a file for its user alone, the public half among the operators' keys. */
export function makeKey(
  { keys: file, folder }: KeyFiles,
  keyId: string,
  now = Date.now(),
): Outcome<{ privateFile: string }> {
  if (!KEY_ID.test(keyId)) {
    return refuse(
      'bad_key_id',
      `A key id has 1 to 64 letters, digits, dots, hyphens, underscores or @, and "${keyId}" has others.`,
    );
  }
  const privateFile = join(folder, `${keyId}.key.json`);
  const known = existsSync(file) ? readOperatorKeys(file) : succeed<OperatorKeys>([]);
  if (!known.ok) return known;
  if (existsSync(privateFile) || known.value.some((key) => key.keyId === keyId)) {
    return refuse(
      'key_exists',
      `There is a key "${keyId}" already. Choose another id: keys are retired, never replaced.`,
    );
  }
  const pair = generateKeyPairSync('ed25519');
  const privateKeyPem = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const publicKeyPem = pair.publicKey.export({ type: 'spki', format: 'pem' }).toString();
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(privateFile, `${JSON.stringify({ keyId, privateKeyPem }, null, 2)}\n`, {
    mode: 0o600,
    flag: 'wx',
  });
  writeOperatorKeys(file, [...known.value, { keyId, publicKeyPem, retiredFrom: null, since: now }]);
  return succeed({ privateFile });
}

/** Says from when on a key is no longer good. What it signed before stays true. */
export function retireKey(file: string, { keyId, at }: { keyId: string; at: number }): Outcome<null> {
  const known = readOperatorKeys(file);
  if (!known.ok) return known;
  const key = known.value.find((candidate) => candidate.keyId === keyId);
  if (key === undefined)
    return refuse('unknown_key', `"${file}" has no key "${keyId}". See: loopwarden keys list`);
  if (key.retiredFrom !== null && key.retiredFrom <= at) {
    return refuse(
      'key_retired',
      `The key "${keyId}" is retired from ${timeText(key.retiredFrom)} on already.`,
    );
  }
  writeOperatorKeys(
    file,
    known.value.map((candidate) => (candidate === key ? { ...key, retiredFrom: at } : candidate)),
  );
  return succeed(null);
}
