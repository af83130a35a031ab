import { type Checksum, type Context, checksum } from '@loopwarden/detector/parts';
import type { Batch, Log, LogGroup, LogWriter, OutRecord, Position } from '@loopwarden/stream';
import type { StateManifest } from '@loopwarden/wire';
import { codec, TOPICS } from '../station.ts';
import { removingOthers, takingForOwn } from './mistaken-formats.ts';
import type { Mistake } from './process.ts';

/** Mistakes that a detector could make, and what the checks say of a world in which one is made. */
export const MISTAKES: readonly {
  readonly name: string;
  readonly says: RegExp;
  readonly mistake: Mistake;
}[] = [
  {
    name: 'commits before its verdicts are acknowledged',
    says: /commit .* stands before/,
    mistake: { log: committingFirst },
  },
  {
    name: 'takes what it sent for acknowledged',
    says: /commit .* stands before/,
    mistake: { context: (context) => ({ ...context, writer: hasty(context.writer) }) },
  },
  {
    name: 'takes a failed append for a success',
    says: /is missing/,
    mistake: { context: (context) => ({ ...context, writer: careless(context.writer) }) },
  },
  {
    name: 'saves a state that covers more than it holds',
    says: /state .* stands before|is missing/,
    mistake: { context: (context) => ({ ...context, stateWriter: coveringMore(context.stateWriter) }) },
  },
  {
    name: 'writes the manifest first and believes every state',
    says: /in other words|never does|is missing|after an error/,
    mistake: { context: believing },
  },
  {
    name: 'judges redelivered events again',
    says: /never does/,
    mistake: { context: forgetfulOfNumbers },
  },
  {
    name: 'publishes after it lost the partition',
    says: /which it lost/,
    mistake: { log: deafToLoss },
  },
  {
    name: 'marks before the verdicts',
    says: /marks \d+ before/,
    mistake: { context: (context) => ({ ...context, writer: ordering(context.writer, marksFirst) }) },
  },
  {
    name: 'publishes verdicts in another order',
    says: /out of order/,
    mistake: { context: (context) => ({ ...context, writer: ordering(context.writer, backwards) }) },
  },
  {
    name: 'drops dead letters',
    says: /is no dead letter/,
    mistake: { context: (context) => ({ ...context, writer: ordering(context.writer, withoutDeadLetters) }) },
  },
  {
    name: 'restores nothing between state and commit',
    says: /in other words|never does|is missing/,
    mistake: { context: notCatchingUp },
  },
  {
    name: 'does not commit the lineage that it begins',
    says: /commit .* stands before|in other words|never began/,
    mistake: { log: silentAboutLineage },
  },
  {
    name: 'takes the state of another format for its own',
    says: /in other words|never does|is missing/,
    mistake: { context: takingForOwn },
  },
  {
    name: 'removes the state that another format needs',
    says: /begins the new lineage/,
    mistake: { context: removingOthers },
  },
];

/** A log whose members commit through another function. */
function committing(log: Log, commit: (group: LogGroup) => LogGroup['commit']): Log {
  return {
    ...log,
    async join(options, handlers) {
      const group = await log.join(options, handlers);
      return { commit: commit(group), close: () => group.close() };
    },
  };
}

function committingFirst(log: Log): Log {
  const joined = Promise.withResolvers<LogGroup>();
  const commitAll = async ({ topic, partition, records }: Batch): Promise<void> => {
    const offset = (records.at(-1)?.offset ?? 0) + 1;
    const known = (await log.reader.committed('detectors', topic)).get(partition);
    await (await joined.promise).commit(topic, partition, { offset, metadata: known?.metadata ?? '' });
  };
  return {
    ...log,
    async join(options, handlers) {
      const batch = async (next: Batch): Promise<void> => {
        await commitAll(next);
        await handlers.batch(next);
      };
      const group = await log.join(options, { ...handlers, batch });
      joined.resolve(group);
      return group;
    },
  };
}

function silentAboutLineage(log: Log): Log {
  const metadata = JSON.stringify({ lineage: 0, highestEpoch: 0, engine: '1' });
  return committing(
    log,
    (group) => (topic, partition, committed) => group.commit(topic, partition, { ...committed, metadata }),
  );
}

function deafToLoss(log: Log): Log {
  return {
    ...log,
    join: (options, handlers) =>
      log.join(options, {
        ...handlers,
        assigned: (assignment) => handlers.assigned({ ...assignment, signal: new AbortController().signal }),
        lost: () => undefined,
      }),
  };
}

function hasty(writer: LogWriter): LogWriter {
  return {
    ...writer,
    async append(records) {
      void writer.append(records).catch(() => undefined);
      return records.map(somewhere);
    },
  };
}

function careless(writer: LogWriter): LogWriter {
  return { ...writer, append: (records) => writer.append(records).catch(() => records.map(somewhere)) };
}

function somewhere({ topic, partition }: OutRecord): Position {
  return { topic, partition, offset: 0, timestamp: 0 };
}

function ordering(writer: LogWriter, order: (records: readonly OutRecord[]) => OutRecord[]): LogWriter {
  return { ...writer, append: (records) => writer.append(order(records)) };
}

function marksFirst(records: readonly OutRecord[]): OutRecord[] {
  return [...records].sort((a, b) => Number(isVerdict(a)) - Number(isVerdict(b)));
}

function isVerdict({ topic, key }: OutRecord): boolean {
  return topic === TOPICS.control && key !== null;
}

function backwards(records: readonly OutRecord[]): OutRecord[] {
  return [...records.filter(isVerdict).reverse(), ...records.filter((record) => !isVerdict(record))];
}

function withoutDeadLetters(records: readonly OutRecord[]): OutRecord[] {
  return records.filter(({ topic }) => topic !== TOPICS.deadLetters);
}

/** The manifest says that the next event is in the state too, and is otherwise in order. */
function coveringMore(writer: LogWriter): LogWriter {
  const sums = new Map<string, Checksum>();
  return ordering(writer, (records) =>
    records.map((record) => {
      const state = codec.decodeState(record.value ?? new Uint8Array());
      if (!state.ok) return record;
      const { snapshot } = state.value;
      const sum = sums.get(snapshot) ?? checksum();
      sums.set(snapshot, sum);
      if (state.value.type === 'chunk') {
        sum.add(state.value.bytes);
        return record;
      }
      const manifest = { ...state.value, coveredOffset: state.value.coveredOffset + 1 };
      return { ...record, value: codec.encodeState({ ...manifest, checksum: sum.of(manifest) }) };
    }),
  );
}

/** Writes the manifest before the last chunk; believes in every manifest whatever stands beside it. */
function believing(context: Context): Context {
  const held = new Map<string, OutRecord[]>();
  const chunks = new Map<string, Map<number, Uint8Array>>();
  const stateWriter = { ...context.stateWriter, append: manifestFirst(context.stateWriter, held) };
  const decodeState: Context['codec']['decodeState'] = (value) => {
    const state = context.codec.decodeState(value);
    if (!state.ok) return state;
    const known = chunks.get(state.value.snapshot) ?? new Map<number, Uint8Array>();
    chunks.set(state.value.snapshot, known);
    if (state.value.type === 'manifest') return { ok: true, value: signedAgain(state.value, known) };
    known.set(state.value.index, state.value.bytes);
    return state;
  };
  return { ...context, stateWriter, codec: { ...context.codec, decodeState } };
}

function manifestFirst(writer: LogWriter, held: Map<string, OutRecord[]>): LogWriter['append'] {
  return async (records) => {
    const [record] = records;
    const state = codec.decodeState(record?.value ?? new Uint8Array());
    if (record === undefined || !state.ok) return writer.append(records);
    const { snapshot, type } = state.value;
    if (type === 'manifest') {
      const places = await writer.append(records);
      for (const chunk of held.get(snapshot) ?? []) await writer.append([chunk]);
      return places;
    }
    held.set(snapshot, [...(held.get(snapshot) ?? []), record]);
    return [somewhere(record)];
  };
}

function signedAgain(manifest: StateManifest, chunks: ReadonlyMap<number, Uint8Array>): StateManifest {
  const sum = checksum();
  const believed = { ...manifest, count: chunks.size };
  for (let index = 0; index < believed.count; index += 1) sum.add(chunks.get(index) ?? new Uint8Array());
  return { ...believed, checksum: sum.of(believed) };
}

function forgetfulOfNumbers(context: Context): Context {
  let number = 0;
  const decodeEvent: Context['codec']['decodeEvent'] = (value) => {
    const event = context.codec.decodeEvent(value);
    if (!event.ok || event.value.type === 'policy') return event;
    number += 1;
    return {
      ok: true,
      value: { ...event.value, source: `${event.value.source} ${number}`, sequence: number },
    };
  };
  return { ...context, codec: { ...context.codec, decodeEvent } };
}

function notCatchingUp(context: Context): Context {
  async function* nothing() {}
  const { reader } = context;
  const read: typeof reader.read = (options) =>
    typeof options.until === 'number' ? nothing() : reader.read(options);
  return { ...context, reader: { ...reader, read } };
}
