import { type Partition, readAppliedPolicy } from '@loopwarden/detection';
import type { PartitionRange } from '@loopwarden/stream';
import type { StateManifest } from '@loopwarden/wire';
import type { Context } from '../context.ts';
import { STATE_LAYOUT, type StateLayout } from './layout.ts';
import { checksum, headOf, readName, snapshotOf, unpackRuns } from './snapshot.ts';

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
  /** Of what was read. */
  readonly layout: StateLayout;
}

interface Stored {
  manifest: StateManifest | null;
  readonly chunks: Map<number, Uint8Array>;
}

/** Reads everything that a state partition holds; what cannot be read, or is of another format, is no state. */
export async function readStates(context: Context, partition: number): Promise<StoredStates> {
  const { layout = STATE_LAYOUT } = context;
  const keys = new Set<string>();
  const snapshots = new Map<string, Stored>();
  const read = { topic: context.topics.state, partition, from: 'start', until: 'end' } as const;
  for await (const { records } of context.reader.read(read)) {
    for (const { key: bytes, value } of records) {
      const key = Buffer.from(bytes ?? []).toString('utf8');
      if (value === null) dropKey(key, keys, snapshots);
      else keys.add(key);
      if (value !== null && isReadable(key, layout)) storeRecord(context, { key, value }, snapshots);
    }
  }
  return { keys, snapshots, layout };
}

/** Says what stands there that this version does not read; null: nothing does. */
export function unreadStates({ keys, layout }: StoredStates): string | null {
  const formats = new Set(
    [...keys]
      .filter((key) => !isReadable(key, layout))
      .map((key) => readName(snapshotOf(key))?.format ?? 'none'),
  );
  if (formats.size === 0) return null;
  return `State of format ${[...formats].join(', ')} stands there; this version reads ${[...layout.readers.keys()].join(', ')}.`;
}

function isReadable(key: string, { readers }: StateLayout): boolean {
  const name = readName(snapshotOf(key));
  return name !== null && readers.has(name.format);
}

/**
 * The snapshot to go on from: whole, of this partition and of a format that is read, covering an offset that lies
 * in the log; of the lineage and engine that were committed if there is one, then the newest.
 */
export function loadState(
  { snapshots, layout }: StoredStates,
  wanted: { partition: number; range: PartitionRange; lineage: number; engine: string; maxRuns: number },
): LoadedState | null {
  const ranked = [...snapshots.values()].sort(
    (a, b) => rank(b, wanted) - rank(a, wanted) || coveredBy(b) - coveredBy(a),
  );
  // In this order, since a look at all bytes of those that are not needed would cost as much again.
  const best = ranked.find((stored) => isUsable(stored, layout, wanted));
  if (best?.manifest == null) return null;
  const { manifest, chunks } = best;
  const policy = readAppliedPolicy(manifest.policy);
  const restore = layout.readers.get(manifest.format);
  if (policy === null || restore === undefined) return null;
  const inOrder = [...chunks].sort(([a], [b]) => a - b).map(([, bytes]) => bytes);
  const fold = restore(
    { ...headOf(manifest), runs: unpackRuns(inOrder) },
    { policy, policyText: manifest.policy, maxRuns: wanted.maxRuns },
  );
  return { fold, covered: manifest.coveredOffset, lineage: manifest.lineage, engine: manifest.engine };
}

function storeRecord(
  { codec }: Context,
  { key, value }: { key: string; value: Uint8Array },
  snapshots: Map<string, Stored>,
): void {
  const decoded = codec.decodeState(value);
  const snapshot = snapshotOf(key);
  // What stands under another's name cannot be told from what a tombstone has removed.
  if (!decoded.ok || decoded.value.snapshot !== snapshot) return;
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
  { readers }: StateLayout,
  wanted: { partition: number; range: PartitionRange },
): boolean {
  if (manifest === null || manifest.partition !== wanted.partition || !readers.has(manifest.format))
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
