import type { LogWriter } from '@loopwarden/stream';
import type { MemoryBroker } from '@loopwarden/stream/memory';
import type { StateRecord } from '@loopwarden/wire';
import { describe, expect, it } from 'vitest';
import { FOREIGN_LAYOUT, NEXT_FORMAT, NEXT_LAYOUT } from '../../../../test/state-layouts.ts';
import { found, keysIn, openOwner, plainFold } from '../../../../test/state-topic.ts';
import { codec, memoryBroker, TOPICS } from '../../../../test/station.ts';
import { STATE_LAYOUT, type StateLayout } from './layout.ts';
import { checksum, manifestKey, readName, snapshotOf } from './snapshot.ts';

interface Turn {
  readonly layout: StateLayout;
  readonly judged: number;
  readonly saves?: number;
  readonly lineage?: number;
}

/** A detector takes the partition, saves so often, each time one event later, and goes. */
async function turn(broker: MemoryBroker, { layout, judged, saves = 3, lineage = 0 }: Turn): Promise<void> {
  const keys = await keysIn(broker);
  const owner = openOwner(broker, { name: 'owner', judged, keys, layout, lineage });
  for (let left = saves; left > 0; left -= 1) {
    await owner.save();
    owner.judge(1);
  }
  owner.dead();
}

async function formatsIn(broker: MemoryBroker): Promise<(number | null)[]> {
  const keys = [...(await keysIn(broker))].filter((key) => key === manifestKey(snapshotOf(key)));
  return keys.map((key) => readName(snapshotOf(key))?.format ?? null);
}

const NOW = STATE_LAYOUT.format;

describe('detectors of two formats that take turns', () => {
  it('each go on from their own state', async () => {
    const broker = memoryBroker();
    await turn(broker, { layout: STATE_LAYOUT, judged: 10 });
    await turn(broker, { layout: FOREIGN_LAYOUT, judged: 20 });
    await turn(broker, { layout: STATE_LAYOUT, judged: 30 });
    await turn(broker, { layout: FOREIGN_LAYOUT, judged: 40 });
    broker.compact(TOPICS.state);
    expect(await found(broker)).toEqual({ covered: 32, fold: plainFold(32) });
    expect(await found(broker, 1000, FOREIGN_LAYOUT)).toEqual({ covered: 42, fold: plainFold(42) });
    expect((await formatsIn(broker)).sort()).toEqual([NOW, NOW, NEXT_FORMAT, NEXT_FORMAT]);
  });

  it('go on from the newest that they can read', async () => {
    const broker = memoryBroker();
    await turn(broker, { layout: STATE_LAYOUT, judged: 10 });
    expect(await found(broker, 1000, NEXT_LAYOUT)).toEqual({ covered: 12, fold: plainFold(12) });
    await turn(broker, { layout: NEXT_LAYOUT, judged: 20 });
    expect(await found(broker, 1000, NEXT_LAYOUT)).toEqual({ covered: 22, fold: plainFold(22) });
    expect(await found(broker)).toEqual({ covered: 12, fold: plainFold(12) });
  });
});

describe('a state of another format is left alone', () => {
  it('while its covered offset lies in the log and its lineage goes on', async () => {
    const broker = memoryBroker();
    await turn(broker, { layout: STATE_LAYOUT, judged: 10 });
    for (let judged = 20; judged < 60; judged += 10)
      await turn(broker, { layout: NEXT_LAYOUT, judged, saves: 5 });
    expect(await found(broker)).toEqual({ covered: 12, fold: plainFold(12) });
  });

  it('and removed when the log has lost what it would have to read', async () => {
    const broker = await longLog();
    await turn(broker, { layout: STATE_LAYOUT, judged: 10 });
    broker.trim(TOPICS.events, 0, 12);
    await turn(broker, { layout: NEXT_LAYOUT, judged: 20, saves: 1 });
    expect((await formatsIn(broker)).sort()).toEqual([NOW, NEXT_FORMAT]);
    broker.trim(TOPICS.events, 0, 13);
    await turn(broker, { layout: NEXT_LAYOUT, judged: 30, saves: 1 });
    expect(await formatsIn(broker)).toEqual([NEXT_FORMAT, NEXT_FORMAT]);
    expect([...(await keysIn(broker))].filter((key) => key.startsWith(`${NOW}/`))).toEqual([]);
  });

  it('and removed when its lineage has ended', async () => {
    const broker = memoryBroker();
    await turn(broker, { layout: STATE_LAYOUT, judged: 10 });
    await turn(broker, { layout: NEXT_LAYOUT, judged: 20, saves: 1, lineage: 7 });
    expect(await formatsIn(broker)).toEqual([NEXT_FORMAT]);
  });

  it('by a zombie of an ended lineage, whatever it holds', async () => {
    const broker = memoryBroker();
    await turn(broker, { layout: NEXT_LAYOUT, judged: 20, saves: 1, lineage: 7 });
    await turn(broker, { layout: STATE_LAYOUT, judged: 10, saves: 4 });
    expect((await formatsIn(broker)).filter((format) => format === NEXT_FORMAT)).toHaveLength(1);
  });

  it('also half of it, which no manifest makes whole', async () => {
    const broker = await longLog();
    const { wrap, stopped } = stoppingAfter(2);
    const owner = openOwner(broker, { name: 'first', judged: 10, stateWriter: wrap });
    owner.keeper.offer();
    await stopped;
    owner.dead();
    const half = await keysIn(broker);
    expect(half.size).toBe(2);
    await turn(broker, { layout: NEXT_LAYOUT, judged: 20 });
    expect([...half].filter((key) => !key.startsWith(`${NOW}/0/10/`))).toEqual([]);
    expect([...(await keysIn(broker))].filter((key) => half.has(key)).length).toBe(2);
    broker.trim(TOPICS.events, 0, 11);
    await turn(broker, { layout: NEXT_LAYOUT, judged: 30, saves: 1 });
    expect([...(await keysIn(broker))].filter((key) => half.has(key)).length).toBe(0);
  });
});

describe('no state looks like one of another format', () => {
  const layouts = [STATE_LAYOUT, FOREIGN_LAYOUT, NEXT_LAYOUT];

  it('when its records stand under names of that format', async () => {
    const broker = await renamed((name) => name.replace(/^\d+/, String(NEXT_FORMAT)));
    expect(await found(broker, 1000, FOREIGN_LAYOUT)).toBeNull();
    expect(await found(broker)).toBeNull();
    // Who reads both goes by the manifest.
    expect(await found(broker, 1000, NEXT_LAYOUT)).toEqual({ covered: 10, fold: plainFold(10) });
  });

  it('when its manifest says that format', async () => {
    const broker = memoryBroker();
    await turn(broker, { layout: STATE_LAYOUT, judged: 10, saves: 1 });
    await rewrite([broker, broker], (state) =>
      state.type === 'manifest' ? { ...state, format: NEXT_FORMAT } : null,
    );
    for (const layout of layouts) expect(await found(broker, 1000, layout)).toBeNull();
  });

  it('when chunks of both stand under one name', async () => {
    const broker = memoryBroker();
    await turn(broker, { layout: STATE_LAYOUT, judged: 10, saves: 1 });
    await turn(broker, { layout: NEXT_LAYOUT, judged: 10, saves: 1 });
    const [one = '', other = ''] = [...new Set([...(await keysIn(broker))].map(snapshotOf))];
    await rewrite([broker, broker], (state) =>
      state.type === 'chunk' ? { ...state, snapshot: state.snapshot === one ? other : one } : null,
    );
    for (const layout of layouts) expect(await found(broker, 1000, layout)).toBeNull();
  });

  it('when the manifests of both have changed places', async () => {
    const broker = memoryBroker();
    await turn(broker, { layout: STATE_LAYOUT, judged: 10, saves: 1 });
    await turn(broker, { layout: NEXT_LAYOUT, judged: 10, saves: 1 });
    const [one = '', other = ''] = [...new Set([...(await keysIn(broker))].map(snapshotOf))];
    await rewrite([broker, broker], (state) =>
      state.type === 'manifest' ? { ...state, snapshot: state.snapshot === one ? other : one } : null,
    );
    for (const layout of layouts) expect(await found(broker, 1000, layout)).toBeNull();
  });
});

describe('state from before names said a format', () => {
  it('is not read, stops nothing, and goes once a newer one stands twice', async () => {
    const broker = await renamed((name) => name.slice(name.lastIndexOf('/') + 1));
    const old = await keysIn(broker);
    expect([...old].every((key) => readName(snapshotOf(key)) === null)).toBe(true);
    for (const layout of [STATE_LAYOUT, NEXT_LAYOUT]) expect(await found(broker, 1000, layout)).toBeNull();
    await turn(broker, { layout: STATE_LAYOUT, judged: 20, saves: 2 });
    expect([...(await keysIn(broker))].filter((key) => old.has(key)).length).toBe(0);
    expect(await found(broker)).toEqual({ covered: 21, fold: plainFold(21) });
  });
});

/** Writes records of one state topic to another or the same again, changed; null: not that one. */
async function rewrite(
  [from, to]: readonly [MemoryBroker, MemoryBroker],
  change: (state: StateRecord) => StateRecord | null,
): Promise<void> {
  const writer = to.connect('rewriter').writer();
  for (const { key, value } of [...from.records(TOPICS.state, 0)]) {
    const state = codec.decodeState(value ?? new Uint8Array());
    const changed = state.ok ? change(state.value) : null;
    if (changed === null) continue;
    const place = Buffer.from(key ?? [])
      .toString()
      .split('/')
      .at(-1);
    const written = { key: `${changed.snapshot}/${place}`, value: codec.encodeState(changed) };
    await writer.append([{ topic: TOPICS.state, partition: 0, ...written }]);
  }
}

/** A state partition that holds one snapshot, in which all is true but its name. */
async function renamed(rename: (name: string) => string): Promise<MemoryBroker> {
  const [first, second] = [memoryBroker(), memoryBroker()];
  await turn(first, { layout: STATE_LAYOUT, judged: 10, saves: 1 });
  const sum = checksum();
  await rewrite([first, second], (state) => {
    const other = { ...state, snapshot: rename(state.snapshot) };
    if (other.type === 'manifest') return { ...other, checksum: sum.of(other) };
    sum.add(other.bytes);
    return other;
  });
  return second;
}

/** A log whose events partition can lose its beginning. */
async function longLog(): Promise<MemoryBroker> {
  const broker = memoryBroker();
  const writer = broker.connect('gateway').writer();
  const record = { topic: TOPICS.events, partition: 0, key: 'run', value: new Uint8Array() };
  await writer.append(Array.from({ length: 100 }, () => record));
  return broker;
}

/** A writer that stops after so many appends, as if the process died there. */
function stoppingAfter(appends: number): { wrap: (writer: LogWriter) => LogWriter; stopped: Promise<void> } {
  const { promise: stopped, resolve } = Promise.withResolvers<void>();
  let left = appends;
  const wrap = (writer: LogWriter): LogWriter => ({
    ...writer,
    append(records) {
      left -= 1;
      if (left >= 0) return writer.append(records);
      resolve();
      return new Promise(() => undefined);
    },
  });
  return { wrap, stopped };
}
