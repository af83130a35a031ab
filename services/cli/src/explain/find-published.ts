import type { OpenedLog } from '../open-log.ts';
import { controlRecords, type SaidVerdict } from '../recompute/control-records.ts';
import { isNamed, type VerdictName } from './verdict-name.ts';

/** The verdict as it was first published; null: it was not, or is no longer there. */
export async function findPublished(
  opened: OpenedLog,
  name: VerdictName,
  { partition, since }: { readonly partition: number; readonly since: number },
): Promise<SaidVerdict | null> {
  for await (const said of controlRecords(opened, { partition, from: { timestamp: since } })) {
    if (said.type !== 'verdict') continue;
    if (isNamed(said.verdict, name)) return said;
    if (said.verdict.runId === name.runId && said.verdict.epoch > name.epoch) return null;
  }
  return null;
}
