import { describe, expect, it, vi } from 'vitest';
import { LogError } from '../log.ts';
import type { InRecord } from '../record.ts';
import { Feed } from './feed.ts';

const LIMIT = 100;

function record(offset: number): InRecord {
  const value = Buffer.from(String(offset));
  return { topic: 't', partition: 0, offset, timestamp: 5, key: null, value, headers: {} };
}

/** An answer that ends behind its last record. */
function fetched(end: number, ...records: InRecord[]) {
  const last = records.at(-1);
  return { end, records, next: last === undefined ? null : last.offset + 1 };
}

describe('the feed of a partition', () => {
  it('wants nothing until a reader chose its place, then from there on', async () => {
    const changed = vi.fn();
    const feed = new Feed('t', 0, changed);
    expect(feed.wanted).toBeNull();
    const slice = feed.slice({ offset: 3, limit: LIMIT });
    expect(changed).toHaveBeenCalled();
    expect(feed.wanted).toBe(3);
    feed.accept(fetched(5, record(3), record(4)), 3);
    const { records, end } = await slice;
    expect(records.map(({ offset }) => offset)).toEqual([3, 4]);
    expect(end).toBe(5);
    expect(feed.wanted).toBe(5);
  });

  it('hands out what one answer brought in slices, and fetches ahead meanwhile', async () => {
    const feed = new Feed('t', 0, () => undefined);
    const first = feed.slice({ offset: 0, limit: 2 });
    feed.accept(fetched(3, record(0), record(1), record(2)), 0);
    expect((await first).records.map(({ offset }) => offset)).toEqual([0, 1]);
    expect(feed.wanted).toBe(3);
    expect((await feed.slice({ offset: 2, limit: 2 })).records.map(({ offset }) => offset)).toEqual([2]);
    expect((await feed.slice({ offset: 3, limit: 2 })).records).toEqual([]);
  });

  it('hands out what several answers brought as one slice', async () => {
    const feed = new Feed('t', 0, () => undefined);
    const first = feed.slice({ offset: 0, limit: LIMIT });
    for (const offset of [0, 1, 2]) feed.accept(fetched(offset + 1, record(offset)), offset);
    feed.accept(fetched(6, record(3), record(4), record(5)), 3);
    expect((await first).records.map(({ offset }) => offset)).toEqual([0, 1, 2, 3, 4, 5]);
    for (const offset of [6, 7]) feed.accept(fetched(offset + 1, record(offset)), offset);
    feed.accept(fetched(11, record(8), record(9), record(10)), 8);
    const offsets = async (offset: number) =>
      (await feed.slice({ offset, limit: 4 })).records.map((one) => one.offset);
    expect(await offsets(6)).toEqual([6, 7, 8, 9]);
    expect(await offsets(10)).toEqual([10]);
    expect(feed.wanted).toBe(11);
  });

  it('leaves out what a batch holds before the place, and steps over what was compacted away', async () => {
    const feed = new Feed('t', 0, () => undefined);
    const slice = feed.slice({ offset: 4, limit: LIMIT });
    feed.accept({ ...fetched(10, record(2), record(5)), next: 10 }, 4);
    expect((await slice).records.map(({ offset }) => offset)).toEqual([5]);
    expect(feed.wanted).toBe(10);
  });

  it('is not empty while the log has more than the first answer brought', async () => {
    const feed = new Feed('t', 0, () => undefined);
    const first = feed.slice({ offset: 0, limit: LIMIT });
    feed.accept(fetched(2, record(0)), 0);
    await first;
    const second = feed.slice({ offset: 1, limit: LIMIT });
    feed.accept(fetched(2, record(1)), 1);
    expect((await second).records.map(({ offset }) => offset)).toEqual([1]);
  });

  it('drops the answer to a place that its reader has left', async () => {
    const feed = new Feed('t', 0, () => undefined);
    const first = feed.slice({ offset: 0, limit: LIMIT });
    feed.accept(fetched(9, record(0)), 0);
    await first;
    const slice = feed.slice({ offset: 7, limit: LIMIT });
    feed.accept(fetched(9, record(1)), 1);
    feed.accept(fetched(9, record(7), record(8)), 7);
    expect((await slice).records.map(({ offset }) => offset)).toEqual([7, 8]);
  });

  it('wants no more while it is full, and says when it is being emptied', async () => {
    const feed = new Feed('t', 0, () => undefined);
    const slice = feed.slice({ offset: 0, limit: 1 });
    const large = (offset: number) => ({ ...record(offset), value: Buffer.alloc(400_000) });
    feed.accept(fetched(3, large(0), large(1), large(2)), 0);
    expect(feed.wanted).toBeNull();
    expect(feed.tellDraining()).toBe(false);
    await slice;
    expect(feed.tellDraining()).toBe(true);
    expect(feed.tellDraining()).toBe(false);
    await feed.slice({ offset: 1, limit: 1 });
    expect(feed.wanted).toBe(3);
  });

  it('reports an error once, and can be placed anew after it', async () => {
    const feed = new Feed('t', 0, () => undefined);
    const slice = feed.slice({ offset: 0, limit: LIMIT });
    feed.fail(new LogError('corrupt', 'damaged'));
    await expect(slice).rejects.toMatchObject({ code: 'corrupt' });
    const again = feed.slice({ offset: 1, limit: LIMIT });
    feed.accept(fetched(2, record(1)), 1);
    expect((await again).records).toHaveLength(1);
  });

  it('keeps nobody waiting once it is closed or the wait is over', async () => {
    const feed = new Feed('t', 0, () => undefined);
    const waiting = new AbortController();
    const grown = feed.grown({ end: 0, signal: waiting.signal });
    waiting.abort();
    await grown;
    const slice = feed.slice({ offset: 0, limit: LIMIT });
    const forever = feed.grown({ end: 0, signal: new AbortController().signal });
    feed.close();
    expect((await slice).records).toEqual([]);
    await forever;
  });
});
