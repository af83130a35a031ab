import { type Context, readName, STATE_LAYOUT, snapshotOf } from '@loopwarden/detector/parts';
import type { OutRecord } from '@loopwarden/stream';
import { NEXT_FORMAT } from '../state-layouts.ts';
import { codec, TOPICS } from '../station.ts';

/** Reads what another format says as if it were its own. */
export function takingForOwn(context: Context): Context {
  const { layout = STATE_LAYOUT } = context;
  const own = layout.readers.get(layout.format);
  const formats = [STATE_LAYOUT.format, NEXT_FORMAT];
  const readers = new Map(own === undefined ? [] : formats.map((format) => [format, own] as const));
  return { ...context, layout: { ...layout, readers } };
}

/** Removes the state of other formats once its own is whole, though their detectors may come back. */
export function removingOthers(context: Context): Context {
  const { reader, stateWriter, layout = STATE_LAYOUT } = context;
  const others = new Map<string, OutRecord>();
  const note = (partition: number, bytes: Uint8Array | null): void => {
    const key = Buffer.from(bytes ?? []).toString();
    const format = readName(snapshotOf(key))?.format ?? layout.format;
    if (format !== layout.format) others.set(key, { topic: TOPICS.state, partition, key, value: null });
  };
  const read: typeof reader.read = async function* (options) {
    for await (const batch of reader.read(options)) {
      if (options.topic === TOPICS.state) for (const { key } of batch.records) note(options.partition, key);
      yield batch;
    }
  };
  const append: typeof stateWriter.append = async (records) => {
    const places = await stateWriter.append(records);
    const wholeIn = records.filter(isManifest).map(({ partition }) => partition);
    const useless = [...others.values()].filter(({ partition }) => wholeIn.includes(partition));
    if (useless.length > 0) await stateWriter.append(useless);
    return places;
  };
  return { ...context, reader: { ...reader, read }, stateWriter: { ...stateWriter, append } };
}

function isManifest({ value }: OutRecord): boolean {
  const state = codec.decodeState(value ?? new Uint8Array());
  return state.ok && state.value.type === 'manifest';
}
