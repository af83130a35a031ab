import { forgetRun, type Hearing, hear, hearMark, type Mark, type Verdict } from '@loopwarden/detection';
import type { InRecord } from '@loopwarden/stream';
import { type Control, readLineage, type VerdictHead } from '@loopwarden/wire';
import type { Desk } from './desk.ts';
import { isEnforced, noteHeard } from './enforcement.ts';
import type { AttachWhy } from './fact.ts';
import type { ServedRun } from './served-run.ts';
import { carryOutAbort } from './standing-abort.ts';

/** Takes one record of `control` in. */
export function hearControl(desk: Desk, record: InRecord, control: Control): void {
  const { topic, partition, offset } = record;
  const lineage = readLineage(record.headers);
  if (lineage === null) {
    desk.tell({ kind: 'skipped', topic, partition, offset, detail: 'The record names no lineage.' });
    return;
  }
  const heard =
    control.type === 'mark'
      ? heardMark(desk, { ...control.mark, partition }, lineage)
      : heardVerdict(desk, control.type === 'verdict' ? control.verdict : numberOnly(control.head), {
          partition,
          lineage,
        });
  if (heard.outcome === 'zombie') desk.tell({ kind: 'zombie', partition, offset });
}

/** What this gateway knows of a partition may have holes: it asks for what stands of its runs there. */
export function afterReset(desk: Desk, partition: number): void {
  desk.tell({ kind: 'reset', partition });
  for (const run of desk.roster.all()) if (run.partition === partition) attachAgain(desk, run, 'reset');
}

function heardMark(desk: Desk, mark: Mark, lineage: number): Hearing {
  const hearing = hearMark(desk.standings, mark, lineage);
  if (hearing.outcome === 'zombie') return hearing;
  const wasStale = desk.progress.isStale(mark.partition);
  desk.progress.hear(mark, lineage);
  if (wasStale) {
    for (const run of desk.roster.all()) if (run.partition === mark.partition) carryOutAbort(desk, run);
  }
  tellTurned(desk);
  return hearing;
}

/** Tells which partitions went stale or came back since this was last asked. */
export function tellTurned({ progress, tell }: Desk): void {
  for (const partition of progress.turned()) {
    if (progress.isStale(partition))
      tell({ kind: 'stale', partition, silentMs: progress.silentMs(partition) });
    else tell({ kind: 'fresh', partition });
  }
}

interface Where {
  readonly partition: number;
  readonly lineage: number;
}

function heardVerdict(desk: Desk, verdict: Verdict, where: Where): Hearing {
  const hearing = hear(desk.standings, verdict, where);
  if (hearing.outcome === 'zombie') return hearing;
  desk.progress.enter(where.partition, where.lineage);
  const run = desk.roster.get(verdict.runId);
  if (run === undefined) forgetRun(desk.standings, verdict.runId);
  else if (hearing.outcome === 'applied') takeIn(desk, run, { verdict, gap: hearing.gap });
  return hearing;
}

function takeIn(desk: Desk, run: ServedRun, { verdict, gap }: { verdict: Verdict; gap: boolean }): void {
  const now = desk.options.clock.now();
  noteHeard(verdict, now);
  run.seen = { epoch: verdict.epoch, sequence: verdict.sequence };
  run.activeAt = Math.max(run.activeAt, Math.min(verdict.at, now));
  if (gap) attachAgain(desk, run, 'gap');
  carryOutAbort(desk, run);
  if (verdict.shadow || !isEnforced(desk, run)) return;
  const { runId, agentId } = run;
  for (const { callId, identity, startedAt } of run.calls.takeLate(verdict, run.source)) {
    const lateMs = Math.max(0, now - startedAt);
    desk.tell({ kind: 'late', runId, agentId, callId, tool: identity.tool, verdict, lateMs });
  }
}

/** At once, so that what stands is known soon; a run that ended, or has not begun, waits for its next decision. */
function attachAgain(desk: Desk, run: ServedRun, why: AttachWhy): void {
  if (run.ended || run.due !== null) return;
  run.due = why;
  desk.scribe.attach(run);
}

/** A verdict of a later version: its number counts, and it withdraws nothing. */
function numberOnly(head: VerdictHead): Verdict {
  return {
    ...head,
    action: 'release',
    match: { scope: 'signature', tool: null, args: null },
    detector: '',
    count: 0,
    threshold: 0,
    level: 0,
    warning: 0,
    pairedTool: null,
    ends: null,
    reason: null,
    shadow: false,
    trigger: { source: '', sequence: 0 },
    at: 0,
    policyRevision: -1,
    profiles: '',
    engine: '',
    message: '',
  };
}
