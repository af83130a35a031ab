import { describe, expect, it, vi } from 'vitest';
import { LogError } from '../log.ts';
import { Feed } from './feed.ts';

const LIMIT = 100;

function message(offset: number, batch?: { firstOffset: number; lastOffset: number }) {
  const context =
    batch === undefined
      ? {}
      : {
          batchContext: {
            firstOffset: String(batch.firstOffset),
            lastOffsetDelta: batch.lastOffset - batch.firstOffset,
          },
        };
  return {
    offset: String(offset),
    timestamp: '5',
    key: null,
    value: Buffer.from(String(offset)),
    headers: { one: Buffer.from('1'), many: [Buffer.from('a'), Buffer.from('b')] },
    isControlRecord: false,
    ...context,
  };
}

const fetched = (end: number, ...messages: ReturnType<typeof message>[]) => ({
  partition: 0,
  highWatermark: String(end),
  messages,
});

describe('the feed of a partition', () => {
  it('wants nothing until a reader chose its place, then from there on', async () => {
    const changed = vi.fn();
    const feed = new Feed('t', 0, changed);
    expect(feed.wanted).toBeNull();
    const slice = feed.slice({ offset: 3, limit: LIMIT });
    expect(changed).toHaveBeenCalled();
    expect(feed.wanted).toBe(3);
    feed.accept(fetched(5, message(3), message(4)), 3);
    const { records, end } = await slice;
    expect(records.map(({ offset }) => offset)).toEqual([3, 4]);
    expect(records[0]?.headers).toEqual({ one: '1', many: 'b' });
    expect(end).toBe(5);
    expect(feed.wanted).toBe(5);
  });

  it('hands out what one answer brought in slices, and fetches ahead meanwhile', async () => {
    const feed = new Feed('t', 0, () => undefined);
    const first = feed.slice({ offset: 0, limit: 2 });
    feed.accept(fetched(3, message(0), message(1), message(2)), 0);
    expect((await first).records.map(({ offset }) => offset)).toEqual([0, 1]);
    expect(feed.wanted).toBe(3);
    expect((await feed.slice({ offset: 2, limit: 2 })).records.map(({ offset }) => offset)).toEqual([2]);
    expect((await feed.slice({ offset: 3, limit: 2 })).records).toEqual([]);
  });

  it('leaves out what a batch holds before the place, and steps over what was compacted away', async () => {
    const feed = new Feed('t', 0, () => undefined);
    const slice = feed.slice({ offset: 4, limit: LIMIT });
    const batch = { firstOffset: 2, lastOffset: 9 };
    feed.accept(fetched(10, message(2, batch), message(5, batch)), 4);
    expect((await slice).records.map(({ offset }) => offset)).toEqual([5]);
    expect(feed.wanted).toBe(10);
  });

  it('is not empty while the log has more than the first answer brought', async () => {
    const feed = new Feed('t', 0, () => undefined);
    const first = feed.slice({ offset: 0, limit: LIMIT });
    feed.accept(fetched(2, message(0)), 0);
    await first;
    const second = feed.slice({ offset: 1, limit: LIMIT });
    feed.accept(fetched(2, message(1)), 1);
    expect((await second).records.map(({ offset }) => offset)).toEqual([1]);
  });

  it('drops the answer to a place that its reader has left', async () => {
    const feed = new Feed('t', 0, () => undefined);
    const first = feed.slice({ offset: 0, limit: LIMIT });
    feed.accept(fetched(9, message(0)), 0);
    await first;
    const slice = feed.slice({ offset: 7, limit: LIMIT });
    feed.accept(fetched(9, message(1)), 1);
    feed.accept(fetched(9, message(7), message(8)), 7);
    expect((await slice).records.map(({ offset }) => offset)).toEqual([7, 8]);
  });

  it('wants no more while it is full, and says when it is being emptied', async () => {
    const feed = new Feed('t', 0, () => undefined);
    const slice = feed.slice({ offset: 0, limit: 1 });
    const large = (offset: number) => ({ ...message(offset), value: Buffer.alloc(400_000) });
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
    feed.accept(fetched(2, message(1)), 1);
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
