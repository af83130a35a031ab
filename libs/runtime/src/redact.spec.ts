import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redact, redactText } from './redact.ts';

const SECRET_NAMES = [
  'password',
  'saslPassword',
  'token',
  'accessToken',
  'Authorization',
  'apiKey',
  'tls_key',
  'key',
  'clientSecret',
  'cookie',
];
const PAYLOAD_NAMES = ['payload', 'args', 'arguments', 'result', 'body', 'value'];

describe('what a log line never holds', () => {
  it.each(SECRET_NAMES)('a secret under %s', (name) => {
    expect(redact({ [name]: 'hunter2', nested: [{ [name]: { deep: 'hunter2' } }] })).toEqual({
      [name]: '[redacted]',
      nested: [{ [name]: '[redacted]' }],
    });
  });

  it.each(PAYLOAD_NAMES)('a payload under %s', (name) => {
    expect(redact({ event: { [name]: { path: '/etc' } } })).toEqual({ event: { [name]: '[omitted]' } });
  });

  it('at any depth, however fields are nested', () => {
    const path = fc.array(fc.constantFrom('a', 'b', 'list'), { maxLength: 12 });
    const name = fc.constantFrom(...SECRET_NAMES, ...PAYLOAD_NAMES);
    fc.assert(
      fc.property(path, name, (keys, last) => {
        const fields = keys.reduceRight<object>((inner, key) => ({ [key]: [inner] }), { [last]: 'hunter2' });
        expect(JSON.stringify(redact(fields))).not.toContain('hunter2');
      }),
    );
  });

  it('credentials in an address', () => {
    expect(redactText('GET https://ada:hunter2@registry.example/subjects failed')).toBe(
      'GET https://[redacted]@registry.example/subjects failed',
    );
    expect(redact({ url: new URL('https://ada:hunter2@registry.example/') })).toEqual({
      url: 'https://[redacted]@registry.example/',
    });
  });

  it('secrets that a client hung on an error or on its cause', () => {
    const cause = Object.assign(new Error('http://u:hunter2@h'), { headers: { authorization: 'hunter2' } });
    const line = JSON.stringify(redact({ error: new Error('failed', { cause }) }));
    expect(line).not.toContain('hunter2');
    expect(line).toContain('failed');
  });
});

describe('what a log line keeps', () => {
  it('digests, ids and plain facts', () => {
    const fields = {
      args: '0123456789abcdef0123456789abcdef',
      keyId: 'k1',
      partition: 3,
      ok: true,
      none: null,
    };
    expect(redact(fields)).toEqual(fields);
  });

  it('an error with its code, and each error of several', () => {
    const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    expect(redact({ error: new AggregateError([refused]) })).toMatchObject({
      error: { type: 'AggregateError', errors: [{ message: 'refused', code: 'ECONNREFUSED' }] },
    });
  });

  it('only the size of bytes', () => {
    expect(redact({ bytes: new Uint8Array(7) })).toEqual({ bytes: '[7 bytes]' });
  });
});

it('is bounded, and survives cycles and big integers', () => {
  const cycle: Record<string, unknown> = {
    big: 10n ** 30n,
    long: 'x'.repeat(1e6),
    many: new Array(1e4).fill(1),
  };
  cycle.self = cycle;
  expect(JSON.stringify(redact(cycle)).length).toBeLessThan(20_000);
});
