import type { Delivered, Despite, DespiteWhy, Outcome, ToolCall, ToolResult } from '@loopwarden/detection';
import {
  type Cursor,
  readArray,
  readBoolean,
  readDigest,
  readEnum,
  readInt,
  readKnown,
  readLong,
  readName,
  readNameOrNull,
  readNullable,
} from './cursor.ts';
import {
  readDigestOrNull,
  readRef,
  readText,
  type Symbols,
  writeCommon,
  writeDigestOrNull,
  writeRef,
  writeText,
} from './event-parts.ts';
import {
  type Sink,
  writeArray,
  writeBoolean,
  writeDigest,
  writeEnum,
  writeInt,
  writeLong,
  writeNullable,
  writeString,
} from './sink.ts';

const OUTCOMES: Symbols<Outcome> = ['unknown', 'result', 'error', 'none', 'vetoed'];
const DESPITE_WHYS: Symbols<DespiteWhy> = ['unknown', 'shadow', 'stale', 'off', 'unstoppable'];

/** A blank call id names no call. */
function readCallId(c: Cursor): string | null {
  const callId = readNameOrNull(c);
  return callId === null || callId.trim() === '' ? null : callId;
}

/** Most records are calls and results: their common fields are read in place, without an object of their own. */
export function readToolCall(c: Cursor): ToolCall {
  return {
    runId: readName(c),
    agentId: readNameOrNull(c),
    sessionId: readNameOrNull(c),
    gatewayId: readName(c),
    source: readName(c),
    sequence: readLong(c),
    observedAt: readLong(c),
    type: 'tool_call',
    callId: readCallId(c),
    tool: readName(c),
    args: readDigest(c),
    poll: readBoolean(c),
    delivered: readArray(c, readDelivered),
    seen: readRef(c),
    despite: readNullable(c, readDespite),
    profiles: readName(c),
    keyId: readNameOrNull(c),
    payload: readText(c),
  };
}

export function writeToolCall(s: Sink, event: ToolCall): void {
  writeCommon(s, event);
  writeText(s, event.callId);
  writeString(s, event.tool);
  writeDigest(s, event.args);
  writeBoolean(s, event.poll);
  writeArray(s, event.delivered, writeDelivered);
  writeRef(s, event.seen);
  writeNullable(s, event.despite, writeDespite);
  writeString(s, event.profiles);
  writeText(s, event.keyId);
  writeText(s, event.payload);
}

export function readToolResult(c: Cursor): ToolResult {
  return {
    runId: readName(c),
    agentId: readNameOrNull(c),
    sessionId: readNameOrNull(c),
    gatewayId: readName(c),
    source: readName(c),
    sequence: readLong(c),
    observedAt: readLong(c),
    type: 'tool_result',
    callId: readCallId(c),
    tool: readName(c),
    args: readDigestOrNull(c),
    poll: readBoolean(c),
    outcome: readKnown(c, OUTCOMES, 'outcome'),
    digest: readDigestOrNull(c),
    missingTool: readText(c),
    verdict: readRef(c),
    seen: readRef(c),
    durationMs: readNullable(c, readInt),
    profiles: readName(c),
    keyId: readNameOrNull(c),
    payload: readText(c),
  };
}

export function writeToolResult(s: Sink, event: ToolResult): void {
  writeCommon(s, event);
  writeText(s, event.callId);
  writeString(s, event.tool);
  writeDigestOrNull(s, event.args);
  writeBoolean(s, event.poll);
  writeEnum(s, event.outcome, OUTCOMES);
  writeDigestOrNull(s, event.digest);
  writeText(s, event.missingTool);
  writeRef(s, event.verdict);
  writeRef(s, event.seen);
  writeNullable(s, event.durationMs, writeInt);
  writeString(s, event.profiles);
  writeText(s, event.keyId);
  writeText(s, event.payload);
}

function readDelivered(c: Cursor): Delivered {
  return { epoch: readLong(c), warning: readInt(c), level: readInt(c) };
}

function writeDelivered(s: Sink, { epoch, warning, level }: Delivered): void {
  writeLong(s, epoch);
  writeInt(s, warning);
  writeInt(s, level);
}

/** Why a call ran in spite of a verdict is for audit: an unknown reason stays one. */
function readDespite(c: Cursor): Despite {
  return { epoch: readLong(c), sequence: readInt(c), why: readEnum(c, DESPITE_WHYS) };
}

function writeDespite(s: Sink, { epoch, sequence, why }: Despite): void {
  writeLong(s, epoch);
  writeInt(s, sequence);
  writeEnum(s, why, DESPITE_WHYS);
}
