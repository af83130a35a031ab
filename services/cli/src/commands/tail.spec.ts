import type { Verdict } from '@loopwarden/detection';
import { expect, it } from 'vitest';
import { passes, type VerdictFilter } from './tail.ts';

const verdict = { runId: 'r', agentId: 'coder', gatewayId: 'gw', detector: 'ping_pong' } as Verdict;

it.each<[VerdictFilter, boolean]>([
  [{}, true],
  [{ run: 'r', agent: 'coder', gateway: 'gw', detector: 'ping_pong' }, true],
  [{ run: 'other' }, false],
  [{ agent: 'coder', detector: 'generic_repeat' }, false],
  [{ gateway: 'gw2' }, false],
])('%j', (filter, expected) => {
  expect(passes(verdict, filter)).toBe(expected);
});
