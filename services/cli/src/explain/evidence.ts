import {
  type ExplainedRecord,
  signatureKey,
  type ToolCall,
  type ToolResult,
  type Verdict,
} from '@loopwarden/detection';

/** Where an event stands in the run's partition. */
export interface Place {
  readonly offset: number;
  /** Record timestamp, epoch milliseconds. */
  readonly at: number;
}

/** A call or a result of the run that was judged. */
export interface HeardCall extends Place {
  readonly event: ToolCall | ToolResult;
}

/** A record of the window with the events that made it. */
export interface PlacedRecord {
  readonly record: ExplainedRecord;
  /** Null: the call is unknown, or was before what was read. */
  readonly call: Place | null;
  /** Null: none came yet. */
  readonly result: Place | null;
  /** Whether the verdict rests on it. */
  readonly counts: boolean;
}

/**
 * The events behind each record of a window: a record is made by a call, or by a result whose call is unknown,
 * and filled by the first result after it that says the same and is not taken by a newer record.
 * @param heard oldest first, up to the moment of the window
 */
export function evidenceOf(
  verdict: Verdict,
  window: readonly ExplainedRecord[],
  heard: readonly HeardCall[],
): readonly PlacedRecord[] {
  const counting = new Set(supporting(verdict, window));
  const taken = new Set<HeardCall>();
  let before = heard.length;
  const placed = window.toReversed().map((record): PlacedRecord => {
    const made = lastBefore(heard, before, (entry) => isCallOf(record, entry));
    const maker =
      made >= 0 ? made : lastBefore(heard, before, (entry) => isResultOf(record, entry) && !taken.has(entry));
    if (maker >= 0) before = maker;
    const result = heard.find((entry, at) => at >= maker && isResultOf(record, entry) && !taken.has(entry));
    if (result !== undefined) taken.add(result);
    return { record, call: placeOf(heard[made]), result: placeOf(result), counts: counting.has(record) };
  });
  return placed.reverse();
}

/** The records that a verdict rests on: what its detector counted. A release rests on none. */
function supporting(verdict: Verdict, window: readonly ExplainedRecord[]): readonly ExplainedRecord[] {
  const { action, detector, count, match } = verdict;
  if (action === 'release') return [];
  // The count of a ping-pong includes the call that would come next.
  if (detector === 'ping_pong') return window.slice(1 - count);
  if (match.scope === 'signature') {
    const own = window.filter(({ tool, args }) => tool === match.tool && args === match.args);
    return action === 'warn' && detector === 'generic_repeat'
      ? own.slice(-count)
      : streakOf(own).slice(-count);
  }
  const ofTool = window.filter(({ tool }) => tool === match.tool);
  return match.scope === 'tool' ? ofTool.slice(-count) : streakOf(ofTool).slice(-count);
}

/** Records with the newest outcome. */
function streakOf(records: readonly ExplainedRecord[]): readonly ExplainedRecord[] {
  const newest = records.findLast(({ outcome }) => outcome !== null);
  return records.filter(({ outcome }) => outcome !== null && outcome === newest?.outcome);
}

function lastBefore(
  heard: readonly HeardCall[],
  before: number,
  fits: (entry: HeardCall) => boolean,
): number {
  return heard.slice(0, before).findLastIndex(fits);
}

function isCallOf(record: ExplainedRecord, { event }: HeardCall): boolean {
  if (event.type !== 'tool_call' || !mayBeOf(record, event)) return false;
  return signatureKey(event.tool, event.args) === signatureKey(record.tool, record.args);
}

function isResultOf(record: ExplainedRecord, { event }: HeardCall): boolean {
  if (event.type !== 'tool_result' || record.outcome !== `${event.outcome}:${event.digest}`) return false;
  if (event.callId !== null && !mayBeOf(record, event)) return false;
  return event.tool === record.tool && (event.args === null || event.args === record.args);
}

/** A record that has its outcome no longer knows the id of its call. */
function mayBeOf(record: ExplainedRecord, { callId }: HeardCall['event']): boolean {
  return record.callId === null || record.callId === callId;
}

function placeOf(entry: HeardCall | undefined): Place | null {
  return entry === undefined ? null : { offset: entry.offset, at: entry.at };
}
