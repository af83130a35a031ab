import type { Attach, Compaction, RunEnd, RunStatus, UnknownEvent } from '@loopwarden/detection';
import { type Cursor, readBoolean, readEnum } from './cursor.ts';
import { readCommon, readRef, type Symbols, writeCommon, writeRef } from './event-parts.ts';
import { type Sink, writeBoolean, writeEnum } from './sink.ts';

const RUN_STATUSES: Symbols<RunStatus> = ['unknown', 'completed', 'failed', 'aborted'];

export function readAttach(c: Cursor): Attach {
  return { ...readCommon(c), type: 'attach' };
}

export function writeAttach(s: Sink, event: Attach): void {
  writeCommon(s, event);
}

export function readCompaction(c: Cursor): Compaction {
  return { ...readCommon(c), type: 'compaction', retry: readBoolean(c) };
}

export function writeCompaction(s: Sink, event: Compaction): void {
  writeCommon(s, event);
  writeBoolean(s, event.retry);
}

/** The run is over whatever its status: an unknown one stays one. */
export function readRunEnd(c: Cursor): RunEnd {
  return { ...readCommon(c), type: 'run_end', status: readEnum(c, RUN_STATUSES), verdict: readRef(c) };
}

export function writeRunEnd(s: Sink, event: RunEnd): void {
  writeCommon(s, event);
  writeEnum(s, event.status, RUN_STATUSES);
  writeRef(s, event.verdict);
}

/** What is left of an event of a later version. */
export function readUnknownEvent(c: Cursor): UnknownEvent {
  return { ...readCommon(c), type: 'unknown' };
}
