import type { Verdict } from '@loopwarden/detection';
import type { InRecord, ReadFrom } from '@loopwarden/stream';
import { readLineage, readTrigger } from '@loopwarden/wire';
import type { OpenedLog } from '../open-log.ts';
import { readRecords } from '../records/read-records.ts';

/** A verdict as it stands in the control topic. */
export interface SaidVerdict {
  readonly type: 'verdict';
  readonly verdict: Verdict;
  readonly lineage: number;
  /** Offset of the event that it answers; null: a renewed one. */
  readonly trigger: number | null;
  /** Where it stands itself. */
  readonly position: number;
  /** Record timestamp, epoch milliseconds. */
  readonly publishedAt: number;
}

/** A progress mark that says that something was judged. */
interface SaidMark {
  readonly type: 'mark';
  readonly lineage: number;
  /** The last offset judged. */
  readonly judged: number;
}

interface Unreadable {
  readonly type: 'unreadable';
}

export type SaidRecord = SaidVerdict | SaidMark | Unreadable;

export interface ControlReading {
  readonly partition: number;
  readonly from: ReadFrom;
}

/** What detectors said in a control partition, up to its end, in order. Marks before any judging say nothing. */
export async function* controlRecords(
  opened: OpenedLog,
  { partition, from }: ControlReading,
): AsyncGenerator<SaidRecord> {
  const topic = opened.topics.control;
  for await (const record of readRecords(opened, { topic, partition, from, until: 'end' })) {
    const said = saidOf(opened, record);
    if (said !== null) yield said;
  }
}

function saidOf({ codec }: OpenedLog, { value, headers, offset, timestamp }: InRecord): SaidRecord | null {
  const decoded = value === null ? null : codec.decodeControl(value);
  if (decoded === null || !decoded.ok || decoded.value.type === 'unknown') return { type: 'unreadable' };
  const lineage = readLineage(headers) ?? 0;
  const control = decoded.value;
  if (control.type === 'mark') {
    const judged = control.mark.offset;
    return judged < 0 ? null : { type: 'mark', lineage, judged };
  }
  const trigger = readTrigger(headers)?.offset ?? null;
  const { verdict } = control;
  return { type: 'verdict', verdict, lineage, trigger, position: offset, publishedAt: timestamp };
}
