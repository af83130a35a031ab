import type { Action, Mark, ReleaseReason, Verdict } from '@loopwarden/detection';
import {
  type Cursor,
  readBoolean,
  readEnum,
  readInt,
  readKnown,
  readLong,
  readName,
  readNameOrNull,
  readNullable,
  readString,
} from './cursor.ts';
import { readMatch, type Symbols, writeMatch, writeText } from './event-parts.ts';
import {
  type Sink,
  writeBoolean,
  writeEnum,
  writeInt,
  writeLong,
  writeNullable,
  writeString,
} from './sink.ts';

const ACTIONS: Symbols<Action> = ['unknown', 'warn', 'block', 'abort', 'release'];
const RELEASE_REASONS: Symbols<ReleaseReason> = [
  'unknown',
  'delivered',
  'cleared',
  'policy',
  'operator',
  'aborted',
  'run_ended',
  'expired',
];

/** What names a verdict and its run: the fields that stand first. */
export type VerdictHead = Pick<
  Verdict,
  'runId' | 'agentId' | 'sessionId' | 'gatewayId' | 'epoch' | 'sequence'
>;

export const VERDICT_HEAD_FIELDS = 6;

export function readVerdictHead(c: Cursor): VerdictHead {
  return {
    runId: readName(c),
    agentId: readNameOrNull(c),
    sessionId: readNameOrNull(c),
    gatewayId: readName(c),
    epoch: readLong(c),
    sequence: readInt(c),
  };
}

export function readVerdict(c: Cursor): Verdict {
  return {
    ...readVerdictHead(c),
    action: readKnown(c, ACTIONS, 'action'),
    match: readMatch(c),
    detector: readName(c),
    count: readInt(c),
    threshold: readInt(c),
    level: readInt(c),
    warning: readInt(c),
    pairedTool: readNameOrNull(c),
    ends: readNullable(c, readInt),
    reason: readNullable(c, readReason),
    shadow: readBoolean(c),
    trigger: { source: readName(c), sequence: readLong(c) },
    at: readLong(c),
    policyRevision: readLong(c),
    profiles: readName(c),
    engine: readName(c),
    message: readString(c),
  };
}

/** A release stays a release whatever its reason: one of a later version is read as none. */
function readReason(c: Cursor): ReleaseReason | null {
  const reason = readEnum(c, RELEASE_REASONS);
  return reason === 'unknown' ? null : reason;
}

export function writeVerdict(s: Sink, verdict: Verdict): void {
  writeString(s, verdict.runId);
  writeText(s, verdict.agentId);
  writeText(s, verdict.sessionId);
  writeString(s, verdict.gatewayId);
  writeLong(s, verdict.epoch);
  writeInt(s, verdict.sequence);
  writeEnum(s, verdict.action, ACTIONS);
  writeMatch(s, verdict.match);
  writeString(s, verdict.detector);
  writeInt(s, verdict.count);
  writeInt(s, verdict.threshold);
  writeInt(s, verdict.level);
  writeInt(s, verdict.warning);
  writeText(s, verdict.pairedTool);
  writeNullable(s, verdict.ends, writeInt);
  writeNullable(s, verdict.reason, writeReason);
  writeBoolean(s, verdict.shadow);
  writeString(s, verdict.trigger.source);
  writeLong(s, verdict.trigger.sequence);
  writeLong(s, verdict.at);
  writeLong(s, verdict.policyRevision);
  writeString(s, verdict.profiles);
  writeString(s, verdict.engine);
  writeString(s, verdict.message);
}

function writeReason(s: Sink, reason: ReleaseReason): void {
  writeEnum(s, reason, RELEASE_REASONS);
}

export function readMark(c: Cursor): Mark {
  return { partition: readInt(c), offset: readLong(c), end: readLong(c) };
}

export function writeMark(s: Sink, mark: Mark): void {
  writeInt(s, mark.partition);
  writeLong(s, mark.offset);
  writeLong(s, mark.end);
}
