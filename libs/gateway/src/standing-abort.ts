import { decide, type Verdict, verdictId } from '@loopwarden/detection';
import type { Desk } from './desk.ts';
import { isEnforced, since } from './enforcement.ts';
import { RunAborted } from './gateway-error.ts';
import type { ServedRun } from './served-run.ts';

/** The abort that stands for a run, enforced or not. Any call shows it: an abort is asked about before all else. */
export function standingAbort({ standings }: Desk, { runId }: ServedRun): Verdict | null {
  const { action, verdict } = decide(standings, { runId, tool: '', args: '' });
  return action === 'abort' ? verdict : null;
}

/** Aborts the run's signal if an abort stands and is enforced; a signal that was aborted by one that no longer stands is replaced. */
export function carryOutAbort(desk: Desk, run: ServedRun): void {
  const verdict = standingAbort(desk, run);
  if (verdict === null) {
    if (run.controller.signal.aborted) run.controller = new AbortController();
    return;
  }
  if (run.controller.signal.aborted || !isEnforced(desk, run)) return;
  run.controller.abort(new RunAborted(verdictId(verdict), verdict.message));
  desk.tell({ kind: 'aborted', runId: run.runId, verdict, ...since(desk, verdict) });
}
