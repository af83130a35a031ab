import type { Verdict } from '@loopwarden/detection';
import { expect, it } from 'vitest';
import { PolicyChange } from './policy-change.ts';

const refusal = (runId: string, fields: Partial<Verdict> = {}): Verdict =>
  ({ runId, action: 'block', shadow: false, ...fields }) as Verdict;

function changes(take: (change: PolicyChange) => void, first = 0): string[] {
  const told: string[] = [];
  const change = new PolicyChange(
    ({ runId, change: how, refused }) => void told.push(`${runId} ${how} ${refused}`),
    {
      first,
    },
  );
  take(change);
  change.finish();
  return told;
}

it('compares the first verdict that refuses, under either policy', () => {
  const told = changes((change) => {
    change.take('recorded', [refusal('later'), refusal('never'), refusal('same')], 10);
    change.take('other', [refusal('earlier'), refusal('newly')], 5);
    change.take('other', [refusal('same')], 10);
    change.take('recorded', [refusal('earlier')], 20);
    change.take('other', [refusal('later')], 30);
    change.take('other', [refusal('earlier')], 40);
    change.refused('never');
  });
  expect(told.sort()).toEqual([
    'earlier earlier 0',
    'later later 0',
    'never never 1',
    'newly newly 0',
    'same same 0',
  ]);
});

it('warnings, releases and what is only observed refuse nothing', () => {
  const fields = [{ action: 'warn' }, { action: 'release' }, { shadow: true }] as const;
  expect(
    changes((change) =>
      change.take(
        'other',
        fields.map((own) => refusal('run', own)),
        1,
      ),
    ),
  ).toEqual([]);
});

it('a run that either policy blocked before the time looked at is no news', () => {
  const told = changes((change) => {
    change.take('recorded', [refusal('old')], 3);
    change.take('other', [refusal('old')], 4);
    change.take('recorded', [refusal('old')], 12);
  }, 10);
  expect(told).toEqual([]);
});
