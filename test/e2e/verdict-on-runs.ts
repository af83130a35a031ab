import type { RunEnding, RunPlan } from './agent-run.ts';
import { expectedOf } from './ways.ts';

/** Where strict runs differ from what the policy says, a sentence each. */
export function deviations(endings: readonly RunEnding[]): string[] {
  return endings.flatMap((ending) => {
    const actual = said(ending);
    const expected = expectedWords(ending.plan);
    const more = callsLate(ending) ?? 0;
    if (actual === expected && more === 0) return [];
    return [`${ending.plan.runId} ${actual}, ${more} calls too many; by the policy it ${expected}`];
  });
}

/** Honest runs that were refused anything, and loops that were stopped too early or not at all. */
export function injustices(endings: readonly RunEnding[]): string[] {
  return endings.flatMap((ending) => {
    const { plan, refusedAt } = ending;
    const expected = expectedOf(plan);
    const early = refusedAt !== null && (expected === null || refusedAt < expected.refused);
    const missed = refusedAt === null && expected !== null;
    return early || missed ? [`${plan.runId} ${said(ending)}; by the policy it ${expectedWords(plan)}`] : [];
  });
}

/** How many calls ran that the policy refuses; null: the run does not loop. */
export function callsLate({ plan, calls }: RunEnding): number | null {
  const expected = expectedOf(plan);
  return expected === null ? null : calls - (expected.refused - 1);
}

function said({ warnedAt, refusedAt, end, signalled }: RunEnding): string {
  return words({ warnedAt, refusedAt, end, signalled });
}

function expectedWords(plan: RunPlan): string {
  const expected = expectedOf(plan);
  if (expected === null) return words({ warnedAt: [], refusedAt: null, end: 'completed', signalled: false });
  const { warned, refused, end } = expected;
  const warnedAt = warned === null ? [] : [warned];
  return words({ warnedAt, refusedAt: refused, end, signalled: end === 'aborted' });
}

function words({
  warnedAt,
  refusedAt,
  end,
  signalled,
}: Pick<RunEnding, 'warnedAt' | 'refusedAt' | 'end' | 'signalled'>): string {
  const warned = warnedAt.length === 0 ? 'is never warned' : `is warned with call ${warnedAt.join(', ')}`;
  const refused = refusedAt === null ? 'never refused' : `refused from call ${refusedAt} on`;
  return `${warned}, ${refused}, ${end}${signalled ? ' by its signal' : ''}`;
}
