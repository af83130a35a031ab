import { expect, it } from 'vitest';
import { mayRead } from './http-access.ts';

it.each([
  [null, undefined, true],
  ['secret', undefined, false],
  ['secret', '', false],
  ['secret', 'secret', false],
  ['secret', 'Basic secret', false],
  ['secret', 'Bearer secre', false],
  ['secret', 'Bearer secret2', false],
  ['secret', 'Bearer secret', true],
  ['secret', 'bearer secret', true],
])('token %j, header %j: %j', (token, header, allowed) => {
  expect(mayRead(token, header)).toBe(allowed);
});
