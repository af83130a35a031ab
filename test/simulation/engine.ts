import { type Checksum, type Context, checksum } from '@loopwarden/detector/parts';
import type { Committed, Log, LogGroup, LogWriter } from '@loopwarden/stream';
import type { StateManifest } from '@loopwarden/wire';
import { codec } from '../station.ts';
import type { Mistake } from './process.ts';

/**
 * A detector of another version of the rules, which happen to be the same: it takes its own commits and states
 * for those of its engine, and those of the others for foreign ones. No mistake, but it stands where those do.
 */
export const OTHER_ENGINE: Mistake = { log: committingAsOther, context: savingAsOther };

const OTHER: Readonly<Record<string, string>> = { 1: '2', 2: '1' };

function otherCommit(committed: Committed): Committed {
  const read = JSON.parse(committed.metadata) as { engine: string };
  return { ...committed, metadata: JSON.stringify({ ...read, engine: OTHER[read.engine] ?? read.engine }) };
}

function committingAsOther(log: Log): Log {
  return {
    ...log,
    async join(options, handlers) {
      const group = await log.join(options, {
        ...handlers,
        assigned: (assignment) => {
          const { committed } = assignment;
          return handlers.assigned({
            ...assignment,
            committed: committed === null ? null : otherCommit(committed),
          });
        },
      });
      const commit: LogGroup['commit'] = (topic, partition, committed) =>
        group.commit(topic, partition, otherCommit(committed));
      return { commit, close: () => group.close() };
    },
  };
}

type Chunks = Map<number, Uint8Array>;

/** The same manifest of the other engine, if it is true of the chunks. */
function otherManifest(manifest: StateManifest, chunks: Chunks): StateManifest {
  if (sumOf(manifest, chunks).of(manifest) !== manifest.checksum) return manifest;
  const other = { ...manifest, engine: OTHER[manifest.engine] ?? manifest.engine };
  return { ...other, checksum: sumOf(manifest, chunks).of(other) };
}

function sumOf({ count }: StateManifest, chunks: Chunks): Checksum {
  const sum = checksum();
  for (let index = 0; index < count; index += 1) sum.add(chunks.get(index) ?? new Uint8Array());
  return sum;
}

/** Replaces manifests by those of the other engine as records pass, chunks first. */
function translating(): Context['codec']['decodeState'] {
  const snapshots = new Map<string, Chunks>();
  return (value) => {
    const state = codec.decodeState(value);
    if (!state.ok) return state;
    const chunks: Chunks = snapshots.get(state.value.snapshot) ?? new Map();
    snapshots.set(state.value.snapshot, chunks);
    if (state.value.type === 'manifest') return { ok: true, value: otherManifest(state.value, chunks) };
    chunks.set(state.value.index, state.value.bytes);
    return state;
  };
}

function savingAsOther(context: Context): Context {
  const translate = translating();
  const { stateWriter } = context;
  const append: LogWriter['append'] = (records) =>
    stateWriter.append(
      records.map((record) => {
        const state = translate(record.value ?? new Uint8Array());
        return state.ok ? { ...record, value: codec.encodeState(state.value) } : record;
      }),
    );
  return {
    ...context,
    stateWriter: { ...stateWriter, append },
    codec: { ...context.codec, decodeState: translating() },
  };
}
