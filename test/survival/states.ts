import { checksum } from '@loopwarden/detector/parts';
import type { InRecord, Log, OutRecord } from '@loopwarden/stream';
import type { StateManifest, StateRecord } from '@loopwarden/wire';
import { codec } from '../station.ts';

interface Stored {
  readonly record: InRecord;
  readonly state: StateRecord;
}

/** The snapshots of all partitions, by what their manifests say. */
export async function readManifests(log: Log, topic: string): Promise<readonly StateManifest[]> {
  return (await readStored(log, topic)).flatMap(({ state }) => (state.type === 'manifest' ? [state] : []));
}

/** Spoils every snapshot, in each partition in another way. */
export async function spoilStates(log: Log, topic: string): Promise<void> {
  await rewrite(log, topic, (all) =>
    all.flatMap(({ record, state }) => {
      const spoil = WAYS[record.partition % WAYS.length];
      const value = spoil?.(state, record.value ?? new Uint8Array());
      return value === undefined ? [] : [{ ...record, value }];
    }),
  );
}

/** Removes every snapshot. */
export async function loseStates(log: Log, topic: string): Promise<void> {
  await rewrite(log, topic, (all) => all.map(({ record }) => ({ ...record, value: null })));
}

/** Has every snapshot say that another engine made it. */
export async function restateEngine(log: Log, topic: string, engine: string): Promise<void> {
  await rewrite(log, topic, (all) =>
    all.flatMap(({ record, state }) => {
      if (state.type !== 'manifest') return [];
      const sum = checksum();
      const own = all.map((one) => one.state).filter(({ snapshot }) => snapshot === state.snapshot);
      const chunks = own.filter((one) => one.type === 'chunk').sort((a, b) => a.index - b.index);
      for (const { bytes } of chunks) sum.add(bytes);
      const restated = { ...state, engine };
      return [{ ...record, value: codec.encodeState({ ...restated, checksum: sum.of(restated) }) }];
    }),
  );
}

type Spoil = (state: StateRecord, value: Uint8Array) => Uint8Array | null | undefined;

/** What becomes of a record: undefined, nothing; null, it is gone. */
const WAYS: readonly Spoil[] = [
  function chunksFlipped(state, value) {
    if (state.type !== 'chunk') return undefined;
    const flipped = Uint8Array.from(value);
    const middle = flipped.length >> 1;
    flipped[middle] = (flipped[middle] ?? 0) ^ 1;
    return flipped;
  },
  function chunksCutShort(state) {
    if (state.type !== 'chunk') return undefined;
    return codec.encodeState({ ...state, bytes: state.bytes.subarray(0, state.bytes.length >> 1) });
  },
  function manifestsUntrue(state) {
    if (state.type !== 'manifest') return undefined;
    return codec.encodeState({ ...state, coveredOffset: state.coveredOffset + 1 });
  },
  function chunksGone(state) {
    return state.type === 'chunk' ? null : undefined;
  },
];

/** Writes records that take the place of others; members of the group must be away. */
async function rewrite(
  log: Log,
  topic: string,
  change: (stored: readonly Stored[]) => readonly OutRecord[],
): Promise<void> {
  const writer = log.writer();
  const records = change(await readStored(log, topic));
  await writer.append(records.map(({ partition, key, value }) => ({ topic, partition, key, value })));
  await writer.close();
}

/** What stands under each key, and can be read. */
async function readStored(log: Log, topic: string): Promise<readonly Stored[]> {
  const newest = new Map<string, InRecord>();
  for (const { partition } of await log.reader.ranges(topic)) {
    const read = { topic, partition, from: 'start', until: 'end' } as const;
    for await (const { records } of log.reader.read(read))
      for (const record of records) newest.set(`${partition} ${Buffer.from(record.key ?? [])}`, record);
  }
  return [...newest.values()].flatMap((record) => {
    const state = record.value === null ? null : codec.decodeState(record.value);
    return state?.ok === true ? [{ record, state: state.value }] : [];
  });
}
