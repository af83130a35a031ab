import type { Digest, EventBase, Match, Ref, Scope } from '@loopwarden/detection';
import {
  type Cursor,
  readDigest,
  readInt,
  readKnown,
  readLong,
  readName,
  readNameOrNull,
  readNullable,
  readPresence,
  readString,
} from './cursor.ts';
import {
  type Sink,
  writeDigest,
  writeEnum,
  writeInt,
  writeLong,
  writeNullable,
  writeString,
} from './sink.ts';

/** Symbols of an enum as the domain spells them, in the order of the schema; index 0 is its default. */
export type Symbols<T extends string> = readonly ('unknown' | T)[];

const SCOPES: Symbols<Scope> = ['unknown', 'signature', 'tool', 'run'];

/** The fields that stand first in every event. */
export function readCommon(c: Cursor): EventBase {
  return {
    runId: readName(c),
    agentId: readNameOrNull(c),
    sessionId: readNameOrNull(c),
    gatewayId: readName(c),
    source: readName(c),
    sequence: readLong(c),
    observedAt: readLong(c),
  };
}

export function writeCommon(s: Sink, event: EventBase): void {
  writeString(s, event.runId);
  writeText(s, event.agentId);
  writeText(s, event.sessionId);
  writeString(s, event.gatewayId);
  writeString(s, event.source);
  writeLong(s, event.sequence);
  writeLong(s, event.observedAt);
}

export function readText(c: Cursor): string | null {
  return readPresence(c) ? readString(c) : null;
}

export function writeText(s: Sink, text: string | null): void {
  writeNullable(s, text, writeString);
}

export function readDigestOrNull(c: Cursor): Digest | null {
  return readPresence(c) ? readDigest(c) : null;
}

export function writeDigestOrNull(s: Sink, digest: Digest | null): void {
  writeNullable(s, digest, writeDigest);
}

function readRefFields(c: Cursor): Ref {
  return { epoch: readLong(c), sequence: readInt(c) };
}

function writeRefFields(s: Sink, ref: Ref): void {
  writeLong(s, ref.epoch);
  writeInt(s, ref.sequence);
}

export function readRef(c: Cursor): Ref | null {
  return readNullable(c, readRefFields);
}

export function writeRef(s: Sink, ref: Ref | null): void {
  writeNullable(s, ref, writeRefFields);
}

export function readMatch(c: Cursor): Match {
  return {
    scope: readKnown(c, SCOPES, 'match.scope'),
    tool: readNameOrNull(c),
    args: readDigestOrNull(c),
  };
}

export function writeMatch(s: Sink, match: Match): void {
  writeEnum(s, match.scope, SCOPES);
  writeText(s, match.tool);
  writeDigestOrNull(s, match.args);
}
