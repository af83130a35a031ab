import { type Partition, readAppliedPolicy, restorePartition, SAVED_FORMAT } from '@loopwarden/detection';
import type { PartitionRange } from '@loopwarden/stream';
import type { StateManifest } from '@loopwarden/wire';
import type { Context } from '../context.ts';
import { checksum, headOf, snapshotOf, unpackRuns } from './snapshot.ts';

/** A state that is provably whole. */
interface LoadedState {
  readonly fold: Partition;
  readonly covered: number;
  readonly lineage: number;
  readonly engine: string;
}

/** What stands in a state partition. */
interface StoredStates {
  /** Every key that holds a value: what a later snapshot makes superfluous. */
  readonly keys: ReadonlySet<string>;
  readonly snapshots: ReadonlyMap<string, Stored>;
}

interface Stored {
  manifest: StateManifest | null;
  readonly chunks: Map<number, Uint8Array>;
}

/** Reads everything that a state partition holds; what cannot be read there is no state. */
export async function readStates(context: Context, partition: number): Promise<StoredStates> {
  const keys = new Set<string>();
  const snapshots = new Map<string, Stored>();
  const read = { topic: context.topics.state, partition, from: 'start', until: 'end' } as const;
  for await (const { records } of context.reader.read(read)) {
    for (const { key: bytes, value } of records) {
      const key = Buffer.from(bytes ?? []).toString('utf8');
      if (value === null) dropKey(key, keys, snapshots);
      else storeRecord(context, { key, value }, { keys, snapshots });
    }
  }
  return { keys, snapshots };
}

/**
 * The snapshot to go on from: whole, of this partition and format, covering an offset that lies in the log; of
 * the lineage and engine that were committed if there is one, then the newest.
 */
export function loadState(
  { snapshots }: StoredStates,
  wanted: { partition: number; range: PartitionRange; lineage: number; engine: string; maxRuns: number },
): LoadedState | null {
  const ranked = [...snapshots.values()].sort(
    (a, b) => rank(b, wanted) - rank(a, wanted) || coveredBy(b) - coveredBy(a),
  );
  // In this order, since a look at all bytes of those that are not needed would cost as much again.
  const best = ranked.find((stored) => isUsable(stored, wanted));
  if (best?.manifest == null) return null;
  const { manifest, chunks } = best;
  const policy = readAppliedPolicy(manifest.policy);
  if (policy === null) return null;
  const inOrder = [...chunks].sort(([a], [b]) => a - b).map(([, bytes]) => bytes);
  const fold = restorePartition(
    { ...headOf(manifest), runs: unpackRuns(inOrder) },
    { policy, policyText: manifest.policy, maxRuns: wanted.maxRuns },
  );
  return { fold, covered: manifest.coveredOffset, lineage: manifest.lineage, engine: manifest.engine };
}

function storeRecord(
  { codec }: Context,
  { key, value }: { key: string; value: Uint8Array },
  { keys, snapshots }: { keys: Set<string>; snapshots: Map<string, Stored> },
): void {
  keys.add(key);
  const decoded = codec.decodeState(value);
  if (!decoded.ok) return;
  const { snapshot } = decoded.value;
  const stored = snapshots.get(snapshot) ?? { manifest: null, chunks: new Map() };
  snapshots.set(snapshot, stored);
  if (decoded.value.type === 'manifest') stored.manifest = decoded.value;
  else stored.chunks.set(decoded.value.index, decoded.value.bytes);
}

function dropKey(key: string, keys: Set<string>, snapshots: Map<string, Stored>): void {
  keys.delete(key);
  snapshots.delete(snapshotOf(key));
}

function isUsable(
  { manifest, chunks }: Stored,
  wanted: { partition: number; range: PartitionRange },
): boolean {
  if (manifest === null || manifest.partition !== wanted.partition || manifest.format !== SAVED_FORMAT)
    return false;
  const { start, end } = wanted.range;
  if (manifest.coveredOffset < start || manifest.coveredOffset > end) return false;
  const sum = checksum();
  for (let index = 0; index < manifest.count; index += 1) {
    const bytes = chunks.get(index);
    if (bytes === undefined) return false;
    sum.add(bytes);
  }
  return chunks.size === manifest.count && sum.of(manifest) === manifest.checksum;
}

function rank({ manifest }: Stored, wanted: { lineage: number; engine: string }): number {
  return Number(manifest?.lineage === wanted.lineage) + Number(manifest?.engine === wanted.engine);
}

function coveredBy({ manifest }: Stored): number {
  return manifest?.coveredOffset ?? -1;
}
