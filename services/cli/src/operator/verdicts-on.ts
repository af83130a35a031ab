import { type Match, matchKey, type Verdict } from '@loopwarden/detection';
import type { OpenedLog } from '../open-log.ts';
import { controlRecords, type SaidVerdict } from '../recompute/control-records.ts';

/** What the log knows of one run. What is older than what it holds is not known. */
interface VerdictsOnRun {
  /** Whether there is any verdict on it at all. */
  readonly judged: boolean;
  /** Those that stand, shadows too. */
  readonly standing: readonly Verdict[];
}

/** Reads the verdicts on a run. */
export async function verdictsOn(
  opened: OpenedLog,
  { runId, partition }: { readonly runId: string; readonly partition: number },
): Promise<VerdictsOnRun> {
  const said: SaidVerdict[] = [];
  for await (const record of controlRecords(opened, { partition, from: 'start' })) {
    if (record.type === 'verdict' && record.verdict.runId === runId) said.push(record);
  }
  return { judged: said.length > 0, standing: standingOf(said) };
}

/** Of what was said of one run, in order, what stands: that of its last epoch and lineage which no release ended. */
export function standingOf(said: readonly Pick<SaidVerdict, 'verdict' | 'lineage'>[]): readonly Verdict[] {
  const standing = new Map<string, Verdict>();
  let [lineage, epoch] = [0, 0];
  for (const { verdict, lineage: of } of said) {
    if (of < lineage || (of === lineage && verdict.epoch < epoch)) continue;
    if (of > lineage || verdict.epoch > epoch) standing.clear();
    [lineage, epoch] = [of, verdict.epoch];
    const slot = `${verdict.shadow} ${matchKey(verdict.match)}`;
    if (verdict.action !== 'release') standing.set(slot, verdict);
    else if (verdict.reason !== 'expired') standing.delete(slot);
    else {
      const ends = verdict.ends ?? 0;
      for (const [key, { sequence }] of standing) if (sequence <= ends) standing.delete(key);
    }
  }
  return [...standing.values()];
}

/** Whether a release of a tool or of a call may lift a verdict: the calls that it rests on are forgotten. */
export function isLiftedBy({ match, pairedTool }: Verdict, released: Match): boolean {
  if (match.scope === 'run') return false;
  if (pairedTool !== null && pairedTool === released.tool) return true;
  if (match.tool !== released.tool) return false;
  return released.scope === 'tool' || match.scope === 'tool' || match.args === released.args;
}
