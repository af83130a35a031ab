import { randomInt } from 'node:crypto';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { collect, everything, numbered, record, textOf, topicSpec } from '../contract/driver.ts';
import { recordingMember } from '../contract/member.ts';
import type { Log } from '../log.ts';
import { openEmbeddedLog } from './embedded-log.ts';
import { recordTable } from './schema.ts';
import { startChild } from './testing/child.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'loopwarden-'));
});
afterEach(() => rm(dir, { recursive: true }));

async function logWith(topic: string, partitions = 2): Promise<Log> {
  const log = await openEmbeddedLog({ dir });
  await log.admin.apply([topicSpec({ name: topic, partitions })]);
  return log;
}

describe('an embedded log among processes', () => {
  it('loses nothing acknowledged and keeps the order, whenever its writers are killed', async () => {
    const log = await logWith('events');
    const acknowledged = new Map<string, number>();
    for (let round = 0; round < 8; round += 1) {
      const names = [`a${round}`, `b${round}`];
      const writers = names.map((name) => startChild('append-forever', [dir, 'events', name]));
      await Promise.all(writers.map((writer) => writer.says('ready')));
      await sleep(randomInt(1, 120));
      await Promise.all(writers.map((writer) => writer.kill()));
      names.forEach((name, at) => {
        acknowledged.set(name, Number(writers[at]?.lines.at(-1)?.split(' ')[1] ?? -1));
      });
    }
    const numbers = new Map<string, number[]>();
    for (const partition of [0, 1]) {
      const records = await everything(log, 'events', partition);
      expect(records.map(({ offset }) => offset)).toEqual(records.map((_, offset) => offset));
      for (const entry of records) {
        const [name = '', number] = textOf(entry).split(':');
        numbers.set(`${name}/${partition}`, [...(numbers.get(`${name}/${partition}`) ?? []), Number(number)]);
      }
    }
    for (const [name, last] of acknowledged) {
      for (const partition of [0, 1]) {
        const kept = numbers.get(`${name}/${partition}`) ?? [];
        expect(kept).toEqual(kept.map((_, at) => at * 2 + partition));
        expect(kept.length * 2 + partition).toBeGreaterThanOrEqual(last);
      }
    }
    expect(Math.max(...acknowledged.values())).toBeGreaterThan(0);
    await log.close();
  });

  it('is followed across processes', async () => {
    const log = await logWith('events');
    const writer = startChild('append-forever', [dir, 'events', 'child']);
    let heard = 0;
    for await (const { records } of log.reader.read({
      topic: 'events',
      partition: 0,
      from: 'start',
      until: 50,
    })) {
      heard += records.length;
    }
    expect(heard).toBe(50);
    await writer.kill();
    await log.close();
  });

  it('is followed although a writer died between its commit and the bell', async () => {
    const log = await logWith('events');
    const first = log.reader.read({ topic: 'events', partition: 0, from: 'start', until: 1 });
    const reading = collect(first);
    await sleep(30);
    const silent = new DatabaseSync(join(dir, 'log.sqlite'), { timeout: 1000 });
    silent.exec(`BEGIN; INSERT INTO ${recordTable(1)} (offset, timestamp) VALUES (0, 1);
      UPDATE lane SET "end" = 1 WHERE id = 1; COMMIT`);
    silent.close();
    expect(await reading).toMatchObject([{ offset: 0, value: null }]);
    await log.close();
  });

  it('has one owner of a group at a time; another waits, and takes over when the owner was killed', async () => {
    const log = await openEmbeddedLog({ dir, leaseMs: 600 });
    await log.admin.apply([topicSpec({ name: 'events', partitions: 2 })]);
    await log.writer().append(numbered('events', 2));
    const owner = startChild('own-forever', [dir, 'events', 'detector', '600']);
    await owner.says('committed 0');
    const waiting = recordingMember();
    const group = await log.join({ topic: 'events', group: 'detector' }, waiting.handlers);
    await sleep(900);
    expect(waiting.owned()).toEqual([]);
    expect(owner.lines.filter((line) => line.startsWith('lost'))).toEqual([]);
    await owner.kill();
    await vi.waitFor(() => expect(waiting.owned()).toEqual([0, 1]), { timeout: 5000 });
    expect(waiting.assigned.map(({ committed }) => committed)).toContainEqual({
      offset: 1,
      metadata: 'child',
    });
    await vi.waitFor(() => expect(waiting.heard).toEqual(['0:1']), { timeout: 5000 });
    await group.close();
    await log.close();
  });

  it('hands a group over at once when its owner leaves, without waiting for the lease', async () => {
    const log = await openEmbeddedLog({ dir, leaseMs: 600_000 });
    await log.admin.apply([topicSpec({ name: 'events' })]);
    const [owner, heir] = [recordingMember(), recordingMember()];
    const leaving = await log.join({ topic: 'events', group: 'detector' }, owner.handlers);
    await vi.waitFor(() => expect(owner.owned()).toEqual([0]), { timeout: 5000 });
    await log.join({ topic: 'events', group: 'detector' }, heir.handlers);
    await leaving.close();
    await vi.waitFor(() => expect(heir.owned()).toEqual([0]), { timeout: 5000 });
    await log.close();
  });

  it('keeps its time from going back when the machine’s clock does', async () => {
    const log = await logWith('events');
    const writer = log.writer();
    const [first] = await writer.append([record('events', 'a')]);
    const clock = vi.spyOn(Date, 'now').mockReturnValue(1_700_000_000_000);
    const [second] = await writer.append([record('events', 'b')]);
    const [elsewhere] = await writer.append([record('events', 'c', { partition: 1 })]);
    clock.mockRestore();
    expect(second?.timestamp).toBe(first?.timestamp);
    expect(elsewhere?.timestamp).toBe(1_700_000_000_000);
    await log.close();
  });

  it('belongs to its user alone', async () => {
    const inner = join(dir, 'made/by/us');
    const log = await openEmbeddedLog({ dir: inner });
    await log.admin.apply([topicSpec()]);
    const modes = await Promise.all(
      ['', 'log.sqlite', 'log.sqlite-wal', 'log.sqlite-shm', 'log.bell'].map(async (name) => {
        const { mode } = await stat(join(inner, name));
        return [name, (mode & 0o777).toString(8)];
      }),
    );
    expect(modes).toEqual([
      ['', '700'],
      ['log.sqlite', '600'],
      ['log.sqlite-wal', '600'],
      ['log.sqlite-shm', '600'],
      ['log.bell', '600'],
    ]);
    await log.close();
  });

  it('ends reads that are under way, and those that come late, when it is closed', async () => {
    const log = await logWith('events');
    await log.writer().append(numbered('events', 1000));
    const read = { topic: 'events', partition: 0, from: 'start', until: 'end', batchSize: 1 } as const;
    const underWay = collect(log.reader.read(read));
    await sleep(5);
    await log.close();
    const records = (await underWay).map(textOf);
    expect(records).toEqual(records.map((_, number) => String(number)));
    expect(await collect(log.reader.read(read))).toEqual([]);
  });

  it('is there again after it was closed', async () => {
    const log = await logWith('events');
    await log.writer().append([record('events', 'kept')]);
    await log.close();
    const again = await openEmbeddedLog({ dir });
    expect((await everything(again, 'events')).map(textOf)).toEqual(['kept']);
    await again.close();
  });
});
