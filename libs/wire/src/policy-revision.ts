import { type Cursor, readString } from './cursor.ts';
import { type Sink, writeString } from './sink.ts';

/** A policy as an operator wrote it. The offset of its record is its revision. */
export interface PolicyRevision {
  /** The document as JSON text. */
  readonly policy: string;
  readonly actor: string;
  readonly reason: string;
}

export function readPolicyRevision(c: Cursor): PolicyRevision {
  return { policy: readString(c), actor: readString(c), reason: readString(c) };
}

export function writePolicyRevision(s: Sink, revision: PolicyRevision): void {
  writeString(s, revision.policy);
  writeString(s, revision.actor);
  writeString(s, revision.reason);
}
