import type { LogWriter } from '@loopwarden/stream';
import { describe, expect, it, vi } from 'vitest';
import { found, keysIn, openOwner, plainFold } from '../../../../test/state-topic.ts';
import { memoryBroker, said, scribe, startDetector, TOPICS } from '../../../../test/station.ts';

/** A writer that stops after so many appends: the last one is never answered, as if the process died there. */
function stoppingAfter(appends: number): { wrap: (writer: LogWriter) => LogWriter; stopped: Promise<void> } {
  const { promise: stopped, resolve } = Promise.withResolvers<void>();
  let left = appends;
  const wrap = (writer: LogWriter): LogWriter => ({
    ...writer,
    async append(records) {
      if (left === 0) {
        resolve();
        return new Promise(() => undefined);
      }
      left -= 1;
      return writer.append(records);
    },
  });
  return { wrap, stopped };
}

/** A writer whose appends wait until it is let go. */
function waiting(): { wrap: (writer: LogWriter) => LogWriter; letGo: () => void; reached: Promise<void> } {
  const gate = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  let appends = 0;
  const wrap = (writer: LogWriter): LogWriter => ({
    ...writer,
    async append(records) {
      appends += 1;
      if (appends === 2) {
        reached.resolve();
        await gate.promise;
      }
      return writer.append(records);
    },
  });
  return { wrap, letGo: gate.resolve, reached: reached.promise };
}

const turns = async (count: number): Promise<void> => {
  for (let left = count; left > 0; left -= 1) await new Promise((resolve) => setImmediate(resolve));
};

describe('a state', () => {
  it('is the fold up to the offset that it covers, in several chunks', async () => {
    const broker = memoryBroker();
    const owner = openOwner(broker, { name: 'owner', judged: 30 });
    await owner.save();
    expect(broker.records(TOPICS.state, 0).length).toBeGreaterThan(4);
    expect(await found(broker)).toEqual({ covered: 30, fold: plainFold(30) });
  });

  it('is of the moment when the save began, however much is judged meanwhile', async () => {
    const broker = memoryBroker();
    const owner = openOwner(broker, { name: 'owner', judged: 30 });
    owner.keeper.offer();
    for (let left = 20; left > 0; left -= 1) {
      owner.judge(1);
      await turns(1);
    }
    await owner.keeper.settled();
    expect(owner.task.judged).toBe(49);
    expect(await found(broker)).toEqual({ covered: 30, fold: plainFold(30) });
  });

  it('is not written, nor an offset committed, before what it includes is acknowledged', async () => {
    const acknowledged = Promise.withResolvers<void>();
    let slow = false;
    const broker = memoryBroker(1, {
      faults: ({ kind, topic }) =>
        slow && kind === 'append' && topic === TOPICS.control ? { until: acknowledged.promise } : undefined,
    });
    const { log } = await startDetector(broker);
    await vi.waitFor(() => expect(said(broker)).toHaveLength(1));
    slow = true;
    await scribe(broker.connect('gateway')).turn('run', 'bb', { headers: { 'lw-mark': '1' } });
    await vi.waitFor(() => expect(said(broker).length).toBeGreaterThan(1));
    await turns(50);
    expect(broker.records(TOPICS.state, 0)).toEqual([]);
    expect((await log.reader.committed('detectors', TOPICS.events)).get(0)?.offset).toBe(0);
    acknowledged.resolve();
    await vi.waitFor(() => expect(broker.records(TOPICS.state, 0).length).toBeGreaterThan(1));
    await vi.waitFor(async () =>
      expect((await log.reader.committed('detectors', TOPICS.events)).get(0)?.offset).toBe(2),
    );
  });
});

describe('a crash', () => {
  /** Appends of two saves: the chunks and the manifest of each. */
  const appends = Array.from({ length: 14 }, (_, at) => at);

  it.each(appends)('after %i writes leaves a whole state or none', async (count) => {
    const broker = memoryBroker();
    const { wrap, stopped } = stoppingAfter(count);
    const owner = openOwner(broker, { name: 'owner', judged: 6, stateWriter: wrap });
    const saves = (async () => {
      await owner.save();
      owner.judge(3);
      await owner.save();
      owner.judge(3);
      await owner.save();
      owner.judge(3);
      await owner.save();
    })();
    await Promise.race([stopped, saves]);
    await turns(3);
    const state = await found(broker);
    if (state !== null) expect(state.fold).toBe(plainFold(state.covered));
    const manifests = [...(await keysIn(broker))].filter((key) => key.endsWith('/manifest'));
    expect(state === null).toBe(manifests.length === 0);
  });
});

describe('a zombie', () => {
  it('that thaws in the middle of a save, after compaction, spoils nothing', async () => {
    const broker = memoryBroker();
    const { wrap, letGo, reached } = waiting();
    const zombie = openOwner(broker, { name: 'zombie', judged: 20, stateWriter: wrap });
    zombie.keeper.offer();
    await reached;
    const owner = openOwner(broker, { name: 'owner', judged: 40, keys: await keysIn(broker) });
    for (let saves = 3; saves > 0; saves -= 1) {
      await owner.save();
      owner.judge(4);
    }
    broker.compact(TOPICS.state);
    letGo();
    await zombie.keeper.settled();
    broker.compact(TOPICS.state);
    expect(await found(broker)).toEqual({ covered: 48, fold: plainFold(48) });
  });

  it('that goes on saving never removes what the owner has saved', async () => {
    const broker = memoryBroker();
    const zombie = openOwner(broker, { name: 'zombie', judged: 20 });
    await zombie.save();
    const owner = openOwner(broker, { name: 'owner', judged: 40, keys: await keysIn(broker) });
    await owner.save();
    for (let saves = 3; saves > 0; saves -= 1) {
      zombie.judge(1);
      await zombie.save();
    }
    broker.compact(TOPICS.state);
    expect(await found(broker)).toEqual({ covered: 40, fold: plainFold(40) });
  });

  it('whose partition was lost writes nothing more', async () => {
    const broker = memoryBroker();
    const { wrap, letGo, reached } = waiting();
    const zombie = openOwner(broker, { name: 'zombie', judged: 20, stateWriter: wrap });
    zombie.keeper.offer();
    await reached;
    zombie.dead();
    letGo();
    await zombie.keeper.settled();
    expect(broker.records(TOPICS.state, 0).length).toBe(2);
    expect(await found(broker)).toBeNull();
  });
});

describe('older states', () => {
  it('are removed, but the one before the newest stays: it may be read at this moment', async () => {
    const broker = memoryBroker();
    const owner = openOwner(broker, { name: 'owner', judged: 20 });
    for (let saves = 5; saves > 0; saves -= 1) {
      await owner.save();
      owner.judge(4);
    }
    const manifests = [...(await keysIn(broker))].filter((key) => key.endsWith('/manifest'));
    expect(manifests).toHaveLength(2);
  });

  it('that an earlier owner left are removed too', async () => {
    const broker = memoryBroker();
    const first = openOwner(broker, { name: 'first', judged: 20 });
    await first.save();
    const left = await keysIn(broker);
    const second = openOwner(broker, { name: 'second', judged: 20, keys: left });
    for (let saves = 3; saves > 0; saves -= 1) {
      second.judge(4);
      await second.save();
    }
    const keys = await keysIn(broker);
    expect([...left].filter((key) => keys.has(key))).toEqual([]);
  });

  it('are kept while a new one cannot be written', async () => {
    const broker = memoryBroker(1, {
      faults: ({ process, kind }) =>
        process === 'second' && kind === 'append' ? { fail: 'midway' } : undefined,
    });
    const first = openOwner(broker, { name: 'first', judged: 20 });
    await first.save();
    const second = openOwner(broker, { name: 'second', judged: 30, keys: await keysIn(broker) });
    for (let saves = 3; saves > 0; saves -= 1) {
      await second.save();
      second.judge(1);
    }
    expect(await found(broker)).toEqual({ covered: 20, fold: plainFold(20) });
  });
});

it('judging does not wait for a save that never ends', async () => {
  const broker = memoryBroker();
  const { wrap, stopped } = stoppingAfter(1);
  const owner = openOwner(broker, { name: 'owner', judged: 20, stateWriter: wrap });
  owner.keeper.offer();
  await stopped;
  owner.tick();
  expect(owner.keeper.offer()).toBeUndefined();
  owner.judge(5);
  expect(owner.task.judged).toBe(24);
});
