import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type OperatorKey, signValue, verifyValue } from './signature.ts';

function keyPair(keyId: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    signing: { keyId, privateKeyPem: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString() },
    operator: {
      keyId,
      publicKeyPem: publicKey.export({ format: 'pem', type: 'spki' }).toString(),
      retiredFrom: null,
      since: null,
    },
  };
}

const ana = keyPair('ana-1');
const ben = keyPair('ben-1');
const value = Buffer.from('a framed value');
const header = signValue(value, ana.signing);
const keys: OperatorKey[] = [ana.operator, ben.operator];
const RETIRED = 1000;
const retired: OperatorKey[] = [{ ...ana.operator, retiredFrom: RETIRED }];

describe('a signed value', () => {
  it('is the work of the key that is named', () => {
    expect(header).toMatch(/^ana-1:[A-Za-z0-9+/]+=*$/);
    expect(verifyValue(value, { header, keys, at: 5 })).toEqual({ ok: true, keyId: 'ana-1' });
  });

  it('stays true when its key is retired later', () => {
    expect(verifyValue(value, { header, keys: retired, at: RETIRED - 1 })).toMatchObject({ ok: true });
  });
});

describe('an unsigned value', () => {
  const later: OperatorKey[] = [
    { ...ana.operator, since: 2000 },
    { ...ben.operator, since: 1000 },
  ];

  it('stays good where it was written before the first key', () => {
    expect(verifyValue(value, { header: null, keys: later, at: 999 })).toEqual({ ok: true, keyId: null });
  });

  it.each([
    ['from the first key on', later, 1000],
    ['with a key that was always there', [...later, { ...ana.operator, keyId: 'old' }], 999],
    ['with no key at all', [], 0],
  ])('is refused %s', (_when, known, at) => {
    expect(verifyValue(value, { header: null, keys: known, at })).toMatchObject({
      ok: false,
      code: 'unsigned',
    });
  });
});

describe('refused is', () => {
  it.each([
    ['a value without a signature', { header: null }, 'unsigned'],
    ['a header that is none', { header: 'ana-1' }, 'bad_signature_header'],
    ['a signature that is too short', { header: 'ana-1:AAAA' }, 'bad_signature_header'],
    ['a key that nobody knows', { header: header.replace('ana-1', 'eve-1') }, 'unknown_key'],
    ["another's signature", { header: header.replace('ana-1', 'ben-1') }, 'bad_signature'],
    ['a record from the time its key was retired', { keys: retired, at: RETIRED }, 'retired_key'],
  ])('%s', (_, claim, code) => {
    expect(verifyValue(value, { header, keys, at: 5, ...claim })).toMatchObject({ ok: false, code });
  });

  it('a value that was changed', () => {
    expect(verifyValue(Buffer.from('a framed valuf'), { header, keys, at: 5 })).toMatchObject({
      ok: false,
      code: 'bad_signature',
    });
  });
});

it('cannot be made under a key id that the header could not carry', () => {
  expect(() => signValue(value, { ...ana.signing, keyId: 'a:b' })).toThrow(RangeError);
});
