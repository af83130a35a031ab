import type { InRecord } from '@loopwarden/stream';
import type { MemoryBroker } from '@loopwarden/stream/memory';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { found, keysIn, openOwner, plainFold } from '../../../../test/state-topic.ts';
import { codec, memoryBroker, TOPICS } from '../../../../test/station.ts';

/** Records of a state partition that holds two whole snapshots, covering 6 and 9. */
let records: readonly InRecord[];
const folds = new Map<number, string>();

beforeAll(async () => {
  const broker = memoryBroker();
  const owner = openOwner(broker, { name: 'owner', judged: 6 });
  await owner.save();
  owner.judge(3);
  await owner.save();
  records = broker.records(TOPICS.state, 0);
  for (const covered of [6, 9]) folds.set(covered, plainFold(covered));
});

type Written = Pick<InRecord, 'key' | 'value'>;

/** A state partition that holds these records. */
async function holding(written: readonly Written[], partition = 0): Promise<MemoryBroker> {
  const broker = memoryBroker(2);
  const writer = broker.connect('writer').writer();
  await writer.append(written.map(({ key, value }) => ({ topic: TOPICS.state, partition, key, value })));
  return broker;
}

/** What is found is right, or nothing is. */
async function expectTrue(written: readonly Written[]): Promise<void> {
  const state = await found(await holding(written));
  if (state !== null) expect(state.fold).toBe(folds.get(state.covered));
}

const place = fc.nat();
const at = (index: number): Written => records[index % records.length] ?? { key: null, value: null };
const replaced = (index: number, by: Written): Written[] =>
  records.map((record, place) => (place === index % records.length ? by : record));

describe('records of a state that were spoilt never make a wrong state', () => {
  const few = { numRuns: 40 };

  it('as they are, the newest is found', async () => {
    expect(await found(await holding(records))).toEqual({ covered: 9, fold: folds.get(9) });
  });

  it('a bit is another', async () => {
    await fc.assert(
      fc.asyncProperty(place, place, fc.nat(7), async (index, byte, bit) => {
        const { key, value } = at(index);
        const spoilt = Uint8Array.from(value ?? []);
        const where = byte % spoilt.length;
        spoilt[where] = (spoilt[where] ?? 0) ^ (1 << bit);
        await expectTrue(replaced(index, { key, value: spoilt }));
      }),
      few,
    );
  });

  it('every bit of a manifest', async () => {
    const manifest = records.length - 1;
    const { key, value } = at(manifest);
    for (let bit = 0; bit < (value?.length ?? 0) * 8; bit += 7) {
      const spoilt = Uint8Array.from(value ?? []);
      spoilt[bit >> 3] = (spoilt[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      await expectTrue(replaced(manifest, { key, value: spoilt }));
    }
  }, 30_000);

  it('a record is cut', async () => {
    await fc.assert(
      fc.asyncProperty(place, place, async (index, length) => {
        const { key, value } = at(index);
        const cut = (value ?? new Uint8Array()).slice(0, length % (value?.length ?? 1));
        await expectTrue(replaced(index, { key, value: cut }));
      }),
      few,
    );
  });

  it('records are lost, doubled, or in another order', async () => {
    const some = fc.array(place, { maxLength: 20 }).map((indices) => indices.map(at));
    await fc.assert(fc.asyncProperty(some, expectTrue), few);
    const shuffled = fc.shuffledSubarray([...Array(7).keys()]).map((indices) => indices.map(at));
    await fc.assert(fc.asyncProperty(shuffled, expectTrue), few);
  });

  it('two records have changed places', async () => {
    await fc.assert(
      fc.asyncProperty(place, place, async (one, other) => {
        const first = replaced(one, { key: at(one).key, value: at(other).value });
        const swapped = first.map((record, index) =>
          index === other % records.length ? { key: record.key, value: at(one).value } : record,
        );
        await expectTrue(swapped);
      }),
      few,
    );
  });

  it('a chunk stands in another snapshot', async () => {
    const states = records.map(({ value }) => codec.decodeState(value ?? new Uint8Array()));
    const names = states.flatMap((state) => (state.ok ? [state.value.snapshot] : []));
    for (const [index, state] of states.entries()) {
      if (!state.ok || state.value.type !== 'chunk') continue;
      const other = names.find((name) => name !== state.value.snapshot) ?? '';
      const value = codec.encodeState({ ...state.value, snapshot: other });
      await expectTrue([...records, { key: Buffer.from(`${other}/${state.value.index}`), value }]);
      await expectTrue(replaced(index, { key: at(index).key, value }));
    }
  });

  it('they stand in another partition', async () => {
    const broker = await holding(records, 1);
    expect(await found(broker)).toBeNull();
    const other = await holding(
      broker.records(TOPICS.state, 1).map(({ key, value }) => {
        const state = codec.decodeState(value ?? new Uint8Array());
        if (!state.ok || state.value.type !== 'manifest') return { key, value };
        return { key, value: codec.encodeState({ ...state.value, partition: 1 }) };
      }),
    );
    expect(await found(other)).toBeNull();
  });
});

describe('a state is not used', () => {
  it('that covers an offset beyond the log', async () => {
    const broker = await holding(records);
    expect((await found(broker, 8))?.covered).toBe(6);
    expect(await found(broker, 5)).toBeNull();
  });

  it('of another format', async () => {
    const other = records.map(({ key, value }) => {
      const state = codec.decodeState(value ?? new Uint8Array());
      if (!state.ok || state.value.type !== 'manifest') return { key, value };
      return { key, value: codec.encodeState({ ...state.value, format: state.value.format + 1 }) };
    });
    expect(await found(await holding(other))).toBeNull();
  });

  it('whose removal has begun', async () => {
    const keys = [...(await keysIn(await holding(records)))];
    for (const key of keys) {
      const state = await found(await holding([...records, { key: Buffer.from(key), value: null }]));
      expect(state?.fold).toBe(folds.get(state?.covered ?? 0));
    }
  });
});
