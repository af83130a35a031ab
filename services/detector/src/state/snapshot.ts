import { createHash } from 'node:crypto';
import type { SavedHead } from '@loopwarden/detection';
import type { StateManifest } from '@loopwarden/wire';

/** Keys of a snapshot's records: chunks by place, then the manifest. Compaction keeps the last of each. */
export function chunkKey(snapshot: string, index: number): string {
  return `${snapshot}/${index}`;
}

export function manifestKey(snapshot: string): string {
  return `${snapshot}/manifest`;
}

/** The snapshot that a key belongs to. */
export function snapshotOf(key: string): string {
  return key.slice(0, key.indexOf('/'));
}

const LINE_FEED = 10;

/** Texts as bytes, a line each: a run's text holds no line feed, it is JSON. */
export function packLines(texts: readonly string[]): Uint8Array {
  return Buffer.from(texts.map((text) => `${text}\n`).join(''), 'utf8');
}

/** The lines of bytes that were cut anywhere. */
export function* linesOf(chunks: Iterable<Uint8Array>): Generator<string> {
  let rest: Uint8Array = new Uint8Array();
  for (const chunk of chunks) {
    const bytes = Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
      yield bytes.toString('utf8', start, end);
      start = end + 1;
    }
    rest = bytes.subarray(start);
  }
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
    format: manifest.format,
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
    format: head.format,
    policyRevision: head.revision,
    highestEpoch: head.highestEpoch,
    highestForgottenEpoch: head.forgottenEpoch,
    newestTimestamp: head.newestAt,
  } as const;
}
