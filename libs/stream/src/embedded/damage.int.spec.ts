import { copyFile, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { collect, everything, numbered, record, textOf, topicSpec } from '../contract/driver.ts';
import type { OutRecord } from '../record.ts';
import { openEmbeddedLog } from './embedded-log.ts';
import { recordTable } from './schema.ts';

let dir: string;
let file: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'loopwarden-'));
  file = join(dir, 'log.sqlite');
});
afterEach(() => rm(dir, { recursive: true }));

function change(sql: string): void {
  const db = new DatabaseSync(file);
  db.exec(sql);
  db.close();
}

async function filledLog(): Promise<void> {
  const log = await openEmbeddedLog({ dir });
  await log.admin.apply([topicSpec({ name: 'events', partitions: 3 })]);
  await log.writer().append(numbered('events', 5000));
  await log.close();
}

describe('an embedded log refuses a file and leaves it as it is', () => {
  const damages: readonly (readonly [string, () => void | Promise<void>])[] = [
    ['that is no database', () => writeFile(file, 'dear diary\n'.repeat(1000))],
    ['that is the database of another program', () => change('CREATE TABLE note (text TEXT)')],
    [
      'of a version that it does not know',
      async () => {
        await filledLog();
        change('PRAGMA user_version = 99');
      },
    ],
    [
      'that was cut short',
      async () => {
        await filledLog();
        await truncate(file, 40_960);
      },
    ],
    [
      'whose last records are gone',
      async () => {
        await filledLog();
        change(`DELETE FROM ${recordTable(1)} WHERE offset > 4000`);
      },
    ],
    [
      'whose tables were overwritten',
      async () => {
        await filledLog();
        const bytes = await readFile(file);
        await writeFile(file, bytes.fill(0x5a, 4096, 32_768));
      },
    ],
  ];

  it.each(damages)('%s', async (_, damage) => {
    await damage();
    const before = await readFile(file);
    await expect(openEmbeddedLog({ dir })).rejects.toMatchObject({ code: 'corrupt', message: /log\.sqlite/ });
    expect(Buffer.compare(await readFile(file), before)).toBe(0);
  });
});

describe('an embedded log on a full disk', () => {
  const block = (topic: string): OutRecord[] =>
    Array.from({ length: 20 }, (_, at) => record(topic, `${at}`.padEnd(2000, '.')));

  it('says so to the writer, keeps what it acknowledged, and goes on when there is room again', async () => {
    const log = await openEmbeddedLog({ dir, maxBytes: 400_000 });
    await log.admin.apply([topicSpec({ name: 'policies', cleanup: 'keep', retentionMs: null })]);
    const writer = log.writer();
    let acknowledged = 0;
    const filling = async (): Promise<void> => {
      for (;;) acknowledged += (await writer.append(block('policies'))).length;
    };
    await expect(filling()).rejects.toMatchObject({ code: 'full' });
    expect(log.health().ok).toBe(false);
    expect(acknowledged).toBeGreaterThan(100);
    expect(await everything(log, 'policies')).toHaveLength(acknowledged);
    await expect(writer.append(block('policies'))).rejects.toMatchObject({ code: 'full' });
    await log.close();

    const roomier = await openEmbeddedLog({ dir });
    await roomier.writer().append([record('policies', 'on')]);
    const records = await everything(roomier, 'policies');
    expect(records).toHaveLength(acknowledged + 1);
    expect(records.at(-1)).toMatchObject({ offset: acknowledged });
    expect(roomier.health().ok).toBe(true);
    await roomier.close();
  });

  it('forgets the oldest records of topics that are cleaned by age, and none of others', async () => {
    const log = await openEmbeddedLog({ dir, maxBytes: 2_000_000 });
    await log.admin.apply([
      topicSpec({ name: 'policies', cleanup: 'keep', retentionMs: null }),
      topicSpec({ name: 'events', partitions: 2 }),
    ]);
    const writer = log.writer();
    await writer.append([record('policies', 'first')]);
    for (let blocks = 0; blocks < 150; blocks += 1) {
      await writer.append(block('events'));
      if (blocks % 20 === 0) await log.housekeep();
    }
    await log.housekeep();
    const [range] = await log.reader.ranges('events');
    expect(range?.end).toBe(3000);
    expect(range?.start).toBeGreaterThan(0);
    const kept = await everything(log, 'events');
    expect(kept[0]?.offset).toBe(range?.start);
    expect(kept.at(-1)?.offset).toBe(2999);
    expect((await everything(log, 'policies')).map(textOf)).toEqual(['first']);
    await log.close();
  });

  it('forgets by age alone: a quiet partition keeps what it was given last', async () => {
    const log = await openEmbeddedLog({ dir, maxBytes: 2_000_000 });
    await log.admin.apply([topicSpec({ name: 'events', partitions: 2 })]);
    const writer = log.writer();
    const quiet = (text: string) => writer.append([{ ...record('events', text), partition: 1 }]);
    await quiet('old');
    for (let blocks = 0; blocks < 30; blocks += 1) await writer.append(block('events'));
    await quiet('new');
    for (let blocks = 0; blocks < 10; blocks += 1) await writer.append(block('events'));
    await log.housekeep();
    const kept = await everything(log, 'events', 1);
    expect(kept.map(textOf)).toEqual(['new']);
    await log.close();
  });

  it('can be copied while it is closed', async () => {
    await filledLog();
    const copy = await mkdtemp(join(tmpdir(), 'loopwarden-'));
    await copyFile(file, join(copy, 'log.sqlite'));
    const log = await openEmbeddedLog({ dir: copy });
    expect(await everything(log, 'events')).toHaveLength(5000);
    await log.close();
    await rm(copy, { recursive: true });
  });
});

describe('housekeeping of an embedded log', () => {
  it('forgets what is older than its topic keeps', async () => {
    const log = await openEmbeddedLog({ dir });
    const hour = 3_600_000;
    await log.admin.apply([topicSpec({ name: 'imports', timestamps: 'create', retentionMs: hour })]);
    const ages = [3, 2, 0.5, 2, 0];
    const now = Date.now();
    await log
      .writer()
      .append(ages.map((age) => record('imports', `${age}`, { timestamp: now - age * hour })));
    await log.housekeep();
    expect((await everything(log, 'imports')).map(textOf)).toEqual(['0.5', '2', '0']);
    expect(await log.reader.ranges('imports')).toEqual([{ partition: 0, start: 2, end: 5 }]);
    const fromBefore = log.reader.read({ topic: 'imports', partition: 0, from: { offset: 0 }, until: 'end' });
    expect((await collect(fromBefore))[0]?.offset).toBe(2);
    await log.close();
  });

  it('keeps the last record of each key of a compacted topic, in place', async () => {
    const log = await openEmbeddedLog({ dir });
    await log.admin.apply([topicSpec({ name: 'state', cleanup: 'compact', retentionMs: null })]);
    const writer = log.writer();
    const put = (key: string | null, text: string): OutRecord => record('state', text, { key });
    await writer.append([put('a', '1'), put('b', '2'), put('a', '3'), put(null, '4'), put('c', '5')]);
    await writer.append([{ topic: 'state', partition: 0, key: 'c', value: null }]);
    await log.housekeep();
    const kept = await everything(log, 'state');
    expect(kept.map((entry) => [entry.offset, textOf(entry)])).toEqual([
      [1, '2'],
      [2, '3'],
      [3, '4'],
      [5, ''],
    ]);
    await writer.append([put('b', '7')]);
    await log.housekeep();
    expect((await everything(log, 'state')).map(({ offset }) => offset)).toEqual([2, 3, 5, 6]);
    await log.close();
    const again = await openEmbeddedLog({ dir });
    expect((await again.reader.ranges('state'))[0]?.end).toBe(7);
    await again.close();
  });
});
