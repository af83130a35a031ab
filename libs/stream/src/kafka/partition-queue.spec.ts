import { describe, expect, it } from 'vitest';
import { LogError } from '../log.ts';
import { Append, PartitionQueue } from './partition-queue.ts';

const NEVER = Number.POSITIVE_INFINITY;

/** Queues records of so many bytes each, as one append. */
function add(queue: PartitionQueue, sizes: readonly number[], deadline = NEVER): Append {
  const append = new Append(sizes.length);
  append.done.catch(() => undefined);
  for (const [index, bytes] of sizes.entries()) {
    const record = { topic: 't', partition: 0, key: null, value: new Uint8Array(bytes) };
    queue.add({ record, append, index, deadline });
  }
  return append;
}

const sizesOf = (messages: readonly { value: Buffer | null }[]): number[] =>
  messages.map(({ value }) => value?.length ?? 0);

describe('the records of a partition on their way', () => {
  it('go in batches of at most 1 MiB, one batch at a time, in order', async () => {
    const queue = new PartitionQueue('t', 0);
    const append = add(queue, [600_000, 300_000, 200_000]);
    expect(queue.ready).toBe(true);
    expect(sizesOf(queue.take())).toEqual([600_000, 300_000]);
    expect(queue.ready).toBe(false);
    queue.acknowledge(10, 5);
    expect(sizesOf(queue.take())).toEqual([200_000]);
    queue.acknowledge(12, 6);
    const positions = await append.done;
    expect(positions.map(({ offset, timestamp }) => [offset, timestamp])).toEqual([
      [10, 5],
      [11, 5],
      [12, 6],
    ]);
    expect(queue.empty).toBe(true);
  });

  it('go again first, in their order, when a request failed', () => {
    const queue = new PartitionQueue('t', 0);
    add(queue, [1, 2]);
    queue.take();
    add(queue, [3]);
    queue.putBack('together');
    expect(sizesOf(queue.take())).toEqual([1, 2, 3]);
  });

  it('go one by one after a refusal, until the refused one was found', async () => {
    const queue = new PartitionQueue('t', 0);
    const [good, bad, late] = [add(queue, [1]), add(queue, [2]), add(queue, [3])];
    queue.take();
    const after = add(queue, [4, 5]);
    queue.putBack('singly');
    expect(sizesOf(queue.take())).toEqual([1]);
    queue.acknowledge(0, -1);
    expect(queue.single).toBe(true);
    expect(sizesOf(queue.take())).toEqual([2]);
    queue.fail(new LogError('refused', 'too large'));
    expect(sizesOf(queue.take())).toEqual([3]);
    queue.acknowledge(1, -1);
    expect(sizesOf(queue.take())).toEqual([4, 5]);
    queue.acknowledge(2, -1);
    await expect(bad.done).rejects.toMatchObject({ code: 'refused' });
    expect(
      (await Promise.all([good.done, late.done, after.done])).flat().map(({ offset }) => offset),
    ).toEqual([0, 1, 2, 3]);
  });

  it('are given up at their deadline, and only they', async () => {
    const queue = new PartitionQueue('t', 0);
    const [old, young] = [add(queue, [1], 100), add(queue, [2], 200)];
    queue.expire(100, new LogError('unavailable', 'away'));
    await expect(old.done).rejects.toMatchObject({ code: 'unavailable' });
    expect(sizesOf(queue.take())).toEqual([2]);
    queue.acknowledge(0, -1);
    expect(await young.done).toHaveLength(1);
  });

  it('keep their writer’s time where the log sets none', async () => {
    const queue = new PartitionQueue('t', 0);
    const append = new Append(1);
    const record = { topic: 't', partition: 0, key: 'run', value: null, timestamp: 1234 };
    queue.add({ record, append, index: 0, deadline: NEVER });
    expect(queue.take()).toEqual([{ key: Buffer.from('run'), value: null, timestamp: '1234' }]);
    queue.acknowledge(7, -1);
    expect(await append.done).toEqual([{ topic: 't', partition: 0, offset: 7, timestamp: 1234 }]);
  });
});
