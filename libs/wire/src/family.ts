import type { Mark, ReadEvent, Verdict } from '@loopwarden/detection';
import { type AvroField, current, type RecordName } from '@loopwarden/schemas';
import { readToolCall, readToolResult } from './call-event.ts';
import type { Cursor } from './cursor.ts';
import { type DeadLetter, readDeadLetter } from './dead-letter.ts';
import { readOperatorRelease, readPolicyApplied } from './operator-event.ts';
import { type PolicyRevision, readPolicyRevision } from './policy-revision.ts';
import { type Breach, commonBreach, eventBreach, verdictBreach } from './rules.ts';
import { readAttach, readCompaction, readRunEnd, readUnknownEvent } from './run-event.ts';
import { readStateChunk, readStateManifest, type StateRecord } from './state-record.ts';
import {
  readMark,
  readVerdict,
  readVerdictHead,
  VERDICT_HEAD_FIELDS,
  type VerdictHead,
} from './verdict-record.ts';

/** The records that one topic may hold, and how they are read. */
export interface Family<T> {
  readonly readers: Partial<Readonly<Record<RecordName, (cursor: Cursor) => T>>>;
  readonly breachOf: (value: T) => Breach | null;
  /** What is read of a record that this version does not understand; null: nothing. */
  readonly head: Head<T> | null;
}

interface Head<T> {
  /** Stand first, in this order, in every record of the family. */
  readonly fields: readonly AvroField[];
  readonly read: (cursor: Cursor) => T;
}

/** What stands in the control topic. An `unknown` is a verdict of a later version: only its number counts. */
export type Control =
  | { readonly type: 'verdict'; readonly verdict: Verdict }
  | { readonly type: 'mark'; readonly mark: Mark }
  | { readonly type: 'unknown'; readonly head: VerdictHead };

export const EVENTS: Family<ReadEvent> = {
  readers: {
    'loopwarden.events.Attach': readAttach,
    'loopwarden.events.ToolCall': readToolCall,
    'loopwarden.events.ToolResult': readToolResult,
    'loopwarden.events.Compaction': readCompaction,
    'loopwarden.events.RunEnd': readRunEnd,
    'loopwarden.events.OperatorRelease': readOperatorRelease,
    'loopwarden.events.PolicyApplied': readPolicyApplied,
  },
  breachOf: eventBreach,
  head: { fields: current['loopwarden.events.Attach'].schema.fields, read: readUnknownEvent },
};

export const CONTROL: Family<Control> = {
  readers: {
    'loopwarden.control.Verdict': (cursor) => ({ type: 'verdict', verdict: readVerdict(cursor) }),
    'loopwarden.control.ProgressMark': (cursor) => ({ type: 'mark', mark: readMark(cursor) }),
  },
  breachOf: controlBreach,
  head: {
    fields: current['loopwarden.control.Verdict'].schema.fields.slice(0, VERDICT_HEAD_FIELDS),
    read: (cursor) => ({ type: 'unknown', head: readVerdictHead(cursor) }),
  },
};

function controlBreach(control: Control): Breach | null {
  if (control.type === 'mark') return null;
  return control.type === 'verdict' ? verdictBreach(control.verdict) : commonBreach(control.head);
}

const unruled = (): null => null;

export const POLICIES: Family<PolicyRevision> = {
  readers: { 'loopwarden.policies.PolicyRevision': readPolicyRevision },
  breachOf: unruled,
  head: null,
};

export const DEAD_LETTERS: Family<DeadLetter> = {
  readers: { 'loopwarden.deadletters.DeadLetter': readDeadLetter },
  breachOf: unruled,
  head: null,
};

export const STATE: Family<StateRecord> = {
  readers: {
    'loopwarden.state.StateChunk': readStateChunk,
    'loopwarden.state.StateManifest': readStateManifest,
  },
  breachOf: unruled,
  head: null,
};
