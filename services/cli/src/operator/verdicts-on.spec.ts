import type { Match, Verdict } from '@loopwarden/detection';
import { describe, expect, it } from 'vitest';
import { isLiftedBy, standingOf } from './verdicts-on.ts';

const call = (tool: string, args: string): Match => ({ scope: 'signature', tool, args });
const tool = (name: string): Match => ({ scope: 'tool', tool: name, args: null });
const RUN: Match = { scope: 'run', tool: 'read', args: null };

function verdict(sequence: number, fields: Partial<Verdict> = {}): Verdict {
  const own = {
    action: 'block',
    match: call('read', 'aa'),
    epoch: 1,
    shadow: false,
    pairedTool: null,
  } as const;
  return { ...own, ends: null, reason: null, sequence, ...fields } as Verdict;
}

/** Sequences of what stands after verdicts of one lineage. */
const after = (...verdicts: readonly Verdict[]): readonly number[] =>
  standingOf(verdicts.map((one) => ({ verdict: one, lineage: 0 }))).map(({ sequence }) => sequence);

describe('what stands against a run', () => {
  const other = verdict(2, { match: call('read', 'bb') });
  const shadow = verdict(2, { shadow: true });
  const release = (fields: Partial<Verdict>) =>
    verdict(3, { action: 'release', reason: 'cleared', ...fields });

  it.each<[string, readonly Verdict[], readonly number[]]>([
    ['nothing', [], []],
    ['the newer verdict of one match', [verdict(1), verdict(2)], [2]],
    ['matches side by side', [verdict(1), other], [1, 2]],
    ['what no release ended', [verdict(1), other, release({})], [2]],
    ['a shadow beside its like', [verdict(1), shadow, release({ shadow: true })], [1]],
    ['what is newer than an expiry', [verdict(1), other, release({ reason: 'expired', ends: 1 })], [2]],
    ['the newer epoch alone', [verdict(1), other, verdict(1, { epoch: 2 }), verdict(3)], [1]],
  ])('is %s', (_what, verdicts, standing) => {
    expect(after(...verdicts)).toEqual(standing);
  });

  it('is what the newest lineage says', () => {
    const said = [
      { verdict: other, lineage: 0 },
      { verdict: verdict(7, { epoch: 1 }), lineage: 1 },
      { verdict: verdict(8, { epoch: 9 }), lineage: 0 },
    ];
    expect(standingOf(said).map(({ sequence }) => sequence)).toEqual([7]);
  });
});

it.each<[string, Partial<Verdict>, Match, boolean]>([
  ['its own call', {}, call('read', 'aa'), true],
  ['its tool', {}, tool('read'), true],
  ['another call of its tool', {}, call('read', 'bb'), false],
  ['another tool', {}, tool('exec'), false],
  ['the tool it is paired with', { pairedTool: 'exec' }, call('exec', 'bb'), true],
  ['a call of a tool that is refused whole', { match: tool('read') }, call('read', 'bb'), true],
  ['the tool that fired an abort', { action: 'abort', match: RUN }, tool('read'), false],
])('a verdict and the release of %s', (_what, fields, released, isLifted) => {
  expect(isLiftedBy(verdict(1, fields), released)).toBe(isLifted);
});
