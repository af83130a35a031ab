import type { Verdict } from '@loopwarden/detection';
import { expect, it } from 'vitest';
import type { Output } from '../terminal/output.ts';
import { changeLine, otherLine } from './finding-text.ts';

const OUTPUT: Output = { out: () => undefined, err: () => undefined, paint: (_style, text) => text };
const VERDICT = {
  ...{ runId: 'r-1', agentId: 'coder', epoch: 0, sequence: 4, action: 'block', shadow: false, at: 0 },
  ...{ detector: 'generic_repeat', count: 3, threshold: 3, reason: null, pairedTool: null },
  match: { scope: 'tool', tool: 'read', args: null },
} as Verdict;

it('a verdict of the second policy is not named like one that was published', () => {
  expect(otherLine(VERDICT, OUTPUT)).toMatch(/^policy .+ ~r-1\/0\.4 of coder$/);
});

it('of a run that would be blocked earlier only the published verdict goes by its own name', () => {
  const recorded = { verdict: { ...VERDICT, sequence: 6 }, offset: 9 };
  const other = { verdict: VERDICT, offset: 5 };
  const line = changeLine({ runId: 'r-1', change: 'earlier', recorded, other, refused: 0 }, OUTPUT);
  expect(line).toMatch(/was blocked at .+ times, r-1\/0\.6\), would be blocked at .+ times, ~r-1\/0\.4\)$/);
});
