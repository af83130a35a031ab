import { expect, it } from 'vitest';
import { payloadOf } from './payload.ts';

const TOOLS = ['read'];

it.each([
  'password',
  'apiKey',
  'API_KEY',
  'authorization',
  'x-auth-token',
  'clientSecret',
  'Cookie',
  'sessionId',
])('takes out %s wherever it stands', (key) => {
  const text = payloadOf({ tools: TOOLS }, 'read', { args: { deep: [{ [key]: 'hidden' }] } });
  expect(text).not.toContain('hidden');
  expect(text).toContain('[redacted]');
});

it('hands on what is no secret', () => {
  expect(payloadOf({ tools: TOOLS }, 'read', { args: { path: '/a', tokens: 0 } })).toContain('"path":"/a"');
});

it('cuts at a number of bytes, between characters', () => {
  const text = payloadOf({ tools: TOOLS, maxBytes: 32 }, 'read', { result: '€'.repeat(100) }) ?? '';
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(32);
  expect(text).toMatch(/^\{"result":"€+…\[cut\]$/);
});

it('writes nothing where the redaction of the user fails', () => {
  const redact = (): never => {
    throw new Error('no');
  };
  expect(payloadOf({ tools: TOOLS, redact }, 'read', { args: 1 })).toBeNull();
});

it('lets the user redact what was cleaned already', () => {
  const redact = (payload: unknown, tool: string): unknown => [tool, payload];
  expect(payloadOf({ tools: TOOLS, redact }, 'read', { token: 1 })).toBe('["read",{"token":"[redacted]"}]');
});

it('writes nothing of what has a circle', () => {
  const circle: { self?: unknown } = {};
  circle.self = circle;
  expect(payloadOf({ tools: TOOLS }, 'read', circle)).toBeNull();
});
