import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { signValue, verifyValue } from '@loopwarden/wire';
import { expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../config/load-config.ts';
import type { Config } from '../config/settings.ts';
import { temporaryFolder } from '../testing/temporary-log.ts';
import { readOperatorKeys, readSigningKey } from './key-files.ts';
import { keyFilesOf, makeKey, retireKey } from './new-key.ts';
import { signingKeyOf } from './operator-keys.ts';

function configOf(flags: Readonly<Record<string, unknown>>): Config {
  const loaded = loadConfig(flags, 'operate', {});
  if (!loaded.ok) throw new Error(loaded.error.message);
  return loaded.value.config;
}

async function twoKeys() {
  const dataDir = await temporaryFolder(onTestFinished);
  const files = keyFilesOf(configOf({ dataDir }));
  const ada = makeKey(files, 'ada');
  const bob = makeKey(files, 'bob');
  if (!ada.ok || !bob.ok) throw new Error('The keys were not made.');
  return { dataDir, files, ada: ada.value.privateFile, bob: bob.value.privateFile };
}

it('the private half is for its user alone, the public half is what detectors verify with', async () => {
  const { files, ada } = await twoKeys();
  expect(statSync(ada).mode & 0o777).toBe(0o600);
  const keys = readOperatorKeys(files.keys);
  const key = readSigningKey(ada);
  if (!keys.ok || !key.ok) throw new Error('The keys cannot be read.');
  const value = new Uint8Array([1, 2, 3]);
  const claim = { header: signValue(value, key.value), keys: keys.value, at: 1 };
  expect(verifyValue(value, claim)).toEqual({ ok: true, keyId: 'ada' });
  expect(readFileSync(files.keys, 'utf8')).not.toContain('PRIVATE');
});

it('a key is never replaced', async () => {
  const { files, ada } = await twoKeys();
  const before = readFileSync(ada, 'utf8');
  expect(makeKey(files, 'ada')).toMatchObject({ ok: false, error: { code: 'key_exists' } });
  expect(readFileSync(ada, 'utf8')).toBe(before);
});

it.each(['', 'a:b', '../ada', 'a b'])('"%s" is no key id', async (id) => {
  const files = keyFilesOf(configOf({ dataDir: await temporaryFolder(onTestFinished) }));
  expect(makeKey(files, id)).toMatchObject({ ok: false, error: { code: 'bad_key_id' } });
});

it('retiring names a time and keeps the key; it is not put off later', async () => {
  const { files } = await twoKeys();
  expect(retireKey(files.keys, { keyId: 'ada', at: 5000 })).toMatchObject({ ok: true });
  expect(retireKey(files.keys, { keyId: 'ada', at: 9000 })).toMatchObject({
    ok: false,
    error: { code: 'key_retired' },
  });
  expect(retireKey(files.keys, { keyId: 'eve', at: 1 })).toMatchObject({
    ok: false,
    error: { code: 'unknown_key' },
  });
  const keys = readOperatorKeys(files.keys);
  expect(keys.ok && keys.value.map(({ keyId, retiredFrom }) => [keyId, retiredFrom])).toEqual([
    ['ada', 5000],
    ['bob', null],
  ]);
});

it('a signature that detectors would refuse is refused before anything is written', async () => {
  const { dataDir, files, ada, bob } = await twoKeys();
  const codeWith = (flags: object): string => {
    const key = signingKeyOf(configOf({ dataDir, ...flags }));
    return key.ok ? (key.value?.keyId ?? 'none') : key.error.code;
  };
  const operatorKeys = files.keys;
  expect(codeWith({})).toBe('none');
  expect(codeWith({ operatorSigningKey: ada })).toBe('ada');
  expect(codeWith({ operatorKeys, operatorSigningKey: ada })).toBe('ada');
  expect(codeWith({ operatorKeys })).toBe('unsigned');
  expect(codeWith({ operatorKeys, operatorSigningKey: join(dataDir, 'nothing') })).toBe('key_unreadable');

  const eve = keyFilesOf(configOf({ dataDir: await temporaryFolder(onTestFinished) }));
  const foreign = makeKey(eve, 'eve');
  const forged = makeKey(eve, 'ada');
  if (!foreign.ok || !forged.ok) throw new Error('The keys were not made.');
  expect(codeWith({ operatorKeys, operatorSigningKey: foreign.value.privateFile })).toBe('unknown_key');
  expect(codeWith({ operatorKeys, operatorSigningKey: forged.value.privateFile })).toBe('other_key');
  retireKey(files.keys, { keyId: 'bob', at: 1 });
  expect(codeWith({ operatorKeys, operatorSigningKey: bob })).toBe('retired_key');
});

it.each([
  ['no JSON', 'keys'],
  ['an object', '{}'],
  ['a key that is none', '[{"keyId": "a", "publicKeyPem": "x", "retiredFrom": null}]'],
])('a keys file that is %s is refused', async (_what, text) => {
  const file = join(await temporaryFolder(onTestFinished), 'keys.json');
  writeFileSync(file, text);
  expect(readOperatorKeys(file)).toMatchObject({ ok: false, error: { code: 'bad_keys' } });
});
