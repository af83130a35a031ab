import { createHash, randomUUID } from 'node:crypto';
import type { SavedHead } from '@loopwarden/detection';
import type { StateManifest } from '@loopwarden/wire';

/** What the name of a snapshot says, so that a version knows what to do with records that it cannot read. */
interface SnapshotName {
  readonly format: number;
  readonly lineage: number;
  /** Offset of the first event that is not in it. */
  readonly covered: number;
}

/** Every version begins names like this; what follows is its own. No name is given twice. */
const NAME = /^(\d{1,15})\/(\d{1,15})\/(\d{1,15})\//;

export function newName({ format, lineage, covered }: SnapshotName): string {
  return `${format}/${lineage}/${covered}/${randomUUID()}`;
}

/** Null: no snapshot has such a name, or one from before names said anything. */
export function readName(snapshot: string): SnapshotName | null {
  const found = NAME.exec(snapshot);
  if (found === null) return null;
  const [format = 0, lineage = 0, covered = 0] = found.slice(1).map(Number);
  return { format, lineage, covered };
}

/** Keys of a snapshot's records: chunks by place, then the manifest. Compaction keeps the last of each. */
export function chunkKey(snapshot: string, index: number): string {
  return `${snapshot}/${index}`;
}

export function manifestKey(snapshot: string): string {
  return `${snapshot}/manifest`;
}

/** The snapshot that a key belongs to. */
export function snapshotOf(key: string): string {
  return key.slice(0, key.lastIndexOf('/'));
}

const LENGTH_BYTES = 4;

/** Runs one after the other, each behind its length. */
export function packRuns(runs: readonly Uint8Array[]): Uint8Array {
  const bytes = runs.reduce((sum, run) => sum + LENGTH_BYTES + run.length, 0);
  const packed = Buffer.allocUnsafe(bytes);
  let at = 0;
  for (const run of runs) {
    packed.writeUInt32BE(run.length, at);
    packed.set(run, at + LENGTH_BYTES);
    at += LENGTH_BYTES + run.length;
  }
  return packed;
}

/** The runs of bytes that were cut anywhere. */
export function* unpackRuns(chunks: Iterable<Uint8Array>): Generator<Uint8Array> {
  let rest = Buffer.alloc(0);
  for (const chunk of chunks) {
    const bytes = Buffer.concat([rest, chunk]);
    let at = 0;
    for (let end = endOf(bytes, at); end <= bytes.length; end = endOf(bytes, at)) {
      yield bytes.subarray(at + LENGTH_BYTES, end);
      at = end;
    }
    rest = bytes.subarray(at);
  }
}

/** Where the run that begins here ends, which may be beyond the bytes. */
function endOf(bytes: Buffer, at: number): number {
  const start = at + LENGTH_BYTES;
  return start > bytes.length ? Number.POSITIVE_INFINITY : start + bytes.readUInt32BE(at);
}

/** 128 bits over what stands in all chunks, in order, and over everything that the manifest says of them. */
export interface Checksum {
  add(bytes: Uint8Array): void;
  /** With the manifest's own words, its checksum apart. */
  of(manifest: Omit<StateManifest, 'checksum'>): string;
}

export function checksum(): Checksum {
  const hash = createHash('sha256');
  return {
    add: (bytes) => void hash.update(`${bytes.length}:`).update(bytes),
    of: (manifest) => hash.update(wordsOf(manifest)).digest('hex').slice(0, 32),
  };
}

function wordsOf(manifest: Omit<StateManifest, 'checksum'>): string {
  const { snapshot, partition, count, coveredOffset, policyRevision, policy, format, engine } = manifest;
  const { lineage, highestEpoch, highestForgottenEpoch, newestTimestamp } = manifest;
  const state = [lineage, highestEpoch, highestForgottenEpoch, newestTimestamp];
  return JSON.stringify([
    snapshot,
    partition,
    count,
    coveredOffset,
    policyRevision,
    policy,
    format,
    engine,
    ...state,
  ]);
}

/** What the core knows of a saved partition, from the manifest. */
export function headOf(manifest: StateManifest): SavedHead {
  return {
    revision: manifest.policyRevision,
    lineage: manifest.lineage,
    forgottenEpoch: manifest.highestForgottenEpoch,
    highestEpoch: manifest.highestEpoch,
    newestAt: manifest.newestTimestamp,
  };
}

/** The same the other way. */
export function manifestHead(head: SavedHead) {
  return {
    policyRevision: head.revision,
    highestEpoch: head.highestEpoch,
    highestForgottenEpoch: head.forgottenEpoch,
    newestTimestamp: head.newestAt,
  } as const;
}
