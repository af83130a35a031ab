import type { OperatorRelease, PolicyApplied } from '@loopwarden/detection';
import { type Cursor, readLong, readNullable, readString } from './cursor.ts';
import { readCommon, readMatch, writeCommon, writeMatch } from './event-parts.ts';
import { type Sink, writeLong, writeNullable, writeString } from './sink.ts';

export function readOperatorRelease(c: Cursor): OperatorRelease {
  return {
    ...readCommon(c),
    type: 'release',
    match: readNullable(c, readMatch),
    epoch: readNullable(c, readLong),
    actor: readString(c),
    reason: readString(c),
  };
}

export function writeOperatorRelease(s: Sink, event: OperatorRelease): void {
  writeCommon(s, event);
  writeNullable(s, event.match, writeMatch);
  writeNullable(s, event.epoch, writeLong);
  writeString(s, event.actor);
  writeString(s, event.reason);
}

export function readPolicyApplied(c: Cursor): PolicyApplied {
  return {
    ...readCommon(c),
    type: 'policy',
    revision: readLong(c),
    policy: readString(c),
    actor: readString(c),
    reason: readString(c),
  };
}

export function writePolicyApplied(s: Sink, event: PolicyApplied): void {
  writeCommon(s, event);
  writeLong(s, event.revision);
  writeString(s, event.policy);
  writeString(s, event.actor);
  writeString(s, event.reason);
}
