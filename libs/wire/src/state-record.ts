import type { Digest } from '@loopwarden/detection';
import { type Cursor, readBytes, readDigest, readInt, readLong, readString } from './cursor.ts';
import { type Sink, writeBytes, writeDigest, writeInt, writeLong, writeString } from './sink.ts';

/** A part of the snapshot of a partition. */
export interface StateChunk {
  readonly type: 'chunk';
  /** The snapshot that it belongs to. */
  readonly snapshot: string;
  /** Place in the snapshot, from 0. */
  readonly index: number;
  readonly bytes: Uint8Array;
}

/** Says that a snapshot is whole; written after its last chunk. */
export interface StateManifest {
  readonly type: 'manifest';
  readonly snapshot: string;
  /** The partition of events that was folded. */
  readonly partition: number;
  /** Number of chunks. */
  readonly count: number;
  /** Over the bytes of all chunks in order. */
  readonly checksum: Digest;
  /** Offset of the first event that is not in the snapshot. */
  readonly coveredOffset: number;
  readonly policyRevision: number;
  /** The policy in force as JSON text. */
  readonly policy: string;
  /** Version of the layout of the chunks. */
  readonly format: number;
  readonly engine: string;
  readonly lineage: number;
  readonly highestEpoch: number;
  readonly highestForgottenEpoch: number;
  /** Newest record timestamp folded, epoch milliseconds. */
  readonly newestTimestamp: number;
}

export type StateRecord = StateChunk | StateManifest;

export function readStateChunk(c: Cursor): StateChunk {
  return { type: 'chunk', snapshot: readString(c), index: readInt(c), bytes: readBytes(c) };
}

export function writeStateChunk(s: Sink, chunk: StateChunk): void {
  writeString(s, chunk.snapshot);
  writeInt(s, chunk.index);
  writeBytes(s, chunk.bytes);
}

export function readStateManifest(c: Cursor): StateManifest {
  return {
    type: 'manifest',
    snapshot: readString(c),
    partition: readInt(c),
    count: readInt(c),
    checksum: readDigest(c),
    coveredOffset: readLong(c),
    policyRevision: readLong(c),
    policy: readString(c),
    format: readInt(c),
    engine: readString(c),
    lineage: readLong(c),
    highestEpoch: readLong(c),
    highestForgottenEpoch: readLong(c),
    newestTimestamp: readLong(c),
  };
}

export function writeStateManifest(s: Sink, manifest: StateManifest): void {
  writeString(s, manifest.snapshot);
  writeInt(s, manifest.partition);
  writeInt(s, manifest.count);
  writeDigest(s, manifest.checksum);
  writeLong(s, manifest.coveredOffset);
  writeLong(s, manifest.policyRevision);
  writeString(s, manifest.policy);
  writeInt(s, manifest.format);
  writeString(s, manifest.engine);
  writeLong(s, manifest.lineage);
  writeLong(s, manifest.highestEpoch);
  writeLong(s, manifest.highestForgottenEpoch);
  writeLong(s, manifest.newestTimestamp);
}
