import type { OpenedLog } from '../open-log.ts';
import { controlRecords, type SaidRecord } from './control-records.ts';
import { Lineages } from './lineages.ts';

/** The events of one partition that are looked at: offsets, `end` exclusive. */
export interface Span {
  readonly partition: number;
  readonly first: number;
  readonly end: number;
}

/** What the control topic tells before anything is recomputed. */
export interface Survey {
  readonly lineages: Lineages;
  /** The last offset that is known to be judged; −1: none. */
  readonly judged: number;
  /** The lowest epoch of the verdicts that answer events of the span; infinite: there are none. */
  readonly oldestEpoch: number;
}

/** Looks through what was published from a time on, until every event of the span was judged. */
export async function surveyControl(opened: OpenedLog, span: Span, since: number): Promise<Survey> {
  const { partition, first, end } = span;
  const lineages = new Lineages();
  let judged = -1;
  let oldestEpoch = Number.POSITIVE_INFINITY;
  for await (const said of controlRecords(opened, { partition, from: { timestamp: since } })) {
    if (said.type === 'unreadable') continue;
    lineages.hear(said.lineage);
    const begun = beginOf(said);
    if (begun !== null) lineages.begin({ lineage: said.lineage, from: begun });
    if (said.lineage < lineages.newest) continue;
    if (said.type === 'mark') judged = Math.max(judged, said.judged);
    else if (said.trigger !== null) judged = Math.max(judged, said.trigger);
    if (said.type === 'verdict' && isWithin(said.trigger, { first, end })) {
      oldestEpoch = Math.min(oldestEpoch, said.verdict.epoch);
    }
    if (judged >= end || (said.type === 'mark' && judged >= end - 1)) break;
  }
  return { lineages, judged, oldestEpoch };
}

/**
 * Where the lineage of a record begins, if this is its first: after the last offset judged when it says so
 * before anything else; one that publishes at once judges the log from its start.
 */
function beginOf(said: Exclude<SaidRecord, { type: 'unreadable' }>): number | null {
  if (said.type === 'mark') return said.judged + 1;
  return said.trigger === null ? null : 0;
}

function isWithin(trigger: number | null, { first, end }: { first: number; end: number }): boolean {
  return trigger !== null && trigger >= first && trigger < end;
}
