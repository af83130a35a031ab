import type { OpenedLog } from '../open-log.ts';
import { controlRecords } from '../recompute/control-records.ts';

/** Whether any verdict on a run is in the log. One that is older than what the log holds is not known. */
export async function wasJudged(
  opened: OpenedLog,
  { runId, partition }: { readonly runId: string; readonly partition: number },
): Promise<boolean> {
  for await (const said of controlRecords(opened, { partition, from: 'start' })) {
    if (said.type === 'verdict' && said.verdict.runId === runId) return true;
  }
  return false;
}
