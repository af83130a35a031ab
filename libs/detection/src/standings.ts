import type { Delivered } from './event.ts';
import { type Mark, matchKey, type Verdict } from './verdict.ts';

/** What a gateway holds of one run. */
interface HeldRun {
  epoch: number;
  /** The highest verdict sequence heard in the epoch. */
  last: number;
  lineage: number;
  partition: number;
  /** By match; shadows apart. */
  readonly slots: Map<string, Verdict>;
  readonly shadows: Map<string, Verdict>;
  /** Level handed out, by identity of the warning. */
  readonly handedOut: Map<number, number>;
}

interface HeldPartition {
  lineage: number;
  /** Whether a mark with progress was heard in this lineage. */
  marked: boolean;
}

/** The verdicts that stand, as one gateway knows them. Opaque: only this library reads its fields. */
export interface Standings {
  readonly runs: Map<string, HeldRun>;
  readonly partitions: Map<number, HeldPartition>;
}

/** Where in the control topic a record was heard. */
export interface Heard {
  readonly partition: number;
  readonly lineage: number;
}

/**
 * What a control record did: `applied`; `old` (an older epoch or sequence); `zombie` (a lower lineage than
 * seen in its partition). `gap`: verdicts of the run were missed, so the gateway attaches again.
 */
export interface Hearing {
  readonly outcome: 'applied' | 'old' | 'zombie';
  readonly gap: boolean;
  /** The first record of a higher lineage: marks seen before are void. */
  readonly newLineage: boolean;
}

export function openStandings(): Standings {
  return { runs: new Map(), partitions: new Map() };
}

/** Takes a verdict in, by the rules for a gateway (wire contract, section 9). */
export function hear(standings: Standings, verdict: Verdict, heard: Heard): Hearing {
  const entered = enter(standings, heard);
  if (entered === 'zombie') return { outcome: 'zombie', gap: false, newLineage: false };
  const newLineage = entered === 'new';
  const known = standings.runs.get(verdict.runId);
  const fresh = known === undefined || verdict.epoch > known.epoch || heard.lineage > known.lineage;
  if (!fresh && (verdict.epoch < known.epoch || verdict.sequence <= known.last)) {
    return { outcome: 'old', gap: false, newLineage };
  }
  const run = fresh ? hold(standings, verdict, heard) : known;
  const gap = fresh ? known !== undefined && verdict.sequence > 1 : verdict.sequence > known.last + 1;
  run.last = verdict.sequence;
  place(run, verdict);
  return { outcome: 'applied', gap, newLineage };
}

/** Takes a progress mark in. The first with progress in a lineage ends what older lineages left. */
export function hearMark(standings: Standings, mark: Mark, lineage: number): Hearing {
  const entered = enter(standings, { partition: mark.partition, lineage });
  if (entered === 'zombie') return { outcome: 'zombie', gap: false, newLineage: false };
  const held = standings.partitions.get(mark.partition);
  if (mark.offset >= 0 && held !== undefined && !held.marked) {
    held.marked = true;
    endOlder(standings, { partition: mark.partition, lineage });
  }
  return { outcome: 'applied', gap: false, newLineage: entered === 'new' };
}

/** Notes that a warning is handed out; the call's event carries the returned fact. */
export function handOut(standings: Standings, verdict: Verdict): Delivered {
  standings.runs.get(verdict.runId)?.handedOut.set(verdict.warning, verdict.level);
  return { epoch: verdict.epoch, warning: verdict.warning, level: verdict.level };
}

/** Whether this warning level was handed out in the epoch held. */
export function wasHandedOut(standings: Standings, verdict: Verdict): boolean {
  return (standings.runs.get(verdict.runId)?.handedOut.get(verdict.warning) ?? 0) >= verdict.level;
}

/** After the gateway's own end of a run: slots go; epoch, last sequence and what was handed out stay. */
export function endRun(standings: Standings, runId: string): void {
  const run = standings.runs.get(runId);
  run?.slots.clear();
  run?.shadows.clear();
}

/** Drops all that is known of a run that this gateway no longer serves. */
export function forgetRun(standings: Standings, runId: string): void {
  standings.runs.delete(runId);
}

function enter(standings: Standings, { partition, lineage }: Heard): 'known' | 'new' | 'zombie' {
  const held = standings.partitions.get(partition);
  if (held === undefined) {
    standings.partitions.set(partition, { lineage, marked: false });
    return 'known';
  }
  if (lineage < held.lineage) return 'zombie';
  if (lineage === held.lineage) return 'known';
  held.lineage = lineage;
  held.marked = false;
  return 'new';
}

function hold(standings: Standings, verdict: Verdict, { partition, lineage }: Heard): HeldRun {
  const run: HeldRun = {
    epoch: verdict.epoch,
    last: 0,
    lineage,
    partition,
    slots: new Map(),
    shadows: new Map(),
    handedOut: new Map(),
  };
  standings.runs.set(verdict.runId, run);
  return run;
}

function place(run: HeldRun, verdict: Verdict): void {
  const held = verdict.shadow ? run.shadows : run.slots;
  if (verdict.action !== 'release') {
    held.set(matchKey(verdict.match), verdict);
  } else if (verdict.reason === 'expired') {
    dropUpTo(run.slots, verdict.ends ?? 0);
    dropUpTo(run.shadows, verdict.ends ?? 0);
  } else {
    held.delete(matchKey(verdict.match));
  }
}

function dropUpTo(slots: Map<string, Verdict>, sequence: number): void {
  for (const [key, verdict] of slots) if (verdict.sequence <= sequence) slots.delete(key);
}

function endOlder(standings: Standings, { partition, lineage }: Heard): void {
  for (const run of standings.runs.values()) {
    if (run.partition !== partition || run.lineage >= lineage) continue;
    run.slots.clear();
    run.shadows.clear();
  }
}
