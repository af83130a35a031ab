import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Log, OutRecord } from '@loopwarden/stream';
import { openEmbeddedLog } from '@loopwarden/stream/embedded';
import { type Bench, type Measure, measure, median, perSecond } from './measure.ts';

const PARTITIONS = 12;
const BATCH = 100;
const APPENDS = 20_000;
const READS = 60_000;
const VALUE = new Uint8Array(300).fill(7);
/** Appends per second while latency is taken, and for how long. */
const RATE = 1_000;
const SECONDS = 3;

/** The embedded log beside bare node:sqlite, and how soon another process hears of an append. */
export const bench: Bench = async function* () {
  const dir = await mkdtemp(join(tmpdir(), 'loopwarden-bench-'));
  const log = await openEmbeddedLog({ dir });
  const bare = bareDatabase(join(dir, 'bare.sqlite'));
  await log.admin.apply([
    { name: 'events', partitions: PARTITIONS, cleanup: 'delete', retentionMs: null, timestamps: 'append' },
    { name: 'latency', partitions: 1, cleanup: 'delete', retentionMs: null, timestamps: 'append' },
  ]);
  const writer = log.writer();
  yield await measure({
    name: `embedded durable appends, batches of ${BATCH}`,
    unit: 'records/s',
    sample: () =>
      perSecond(APPENDS, async () => {
        for (let at = 0; at < APPENDS; at += BATCH) await writer.append(recordsFrom(at));
      }),
    baseline: () => perSecond(APPENDS, () => bare.append()),
  });
  yield await measure({
    name: 'embedded reads',
    unit: 'records/s',
    sample: () => perSecond(READS, () => readSome(log)),
    baseline: () => perSecond(READS, () => bare.read()),
  });
  yield* await latency(dir, log);
  bare.close();
  await log.close();
  await rm(dir, { recursive: true });
};

function recordsFrom(first: number): readonly OutRecord[] {
  return Array.from({ length: BATCH }, (_, at) => ({
    topic: 'events',
    partition: (first + at) % PARTITIONS,
    key: `run-${(first + at) % 1000}`,
    value: VALUE,
  }));
}

async function readSome(log: Log): Promise<void> {
  let wanted = READS;
  for (let partition = 0; wanted > 0; partition = (partition + 1) % PARTITIONS) {
    const batches = log.reader.read({ topic: 'events', partition, from: 'start', until: 'end' });
    for await (const { records } of batches) wanted -= records.length;
  }
}

interface BareDatabase {
  append(): void;
  read(): void;
  close(): void;
}

/** What the same rows cost without a log around them: one table, the same durability. */
function bareDatabase(file: string): BareDatabase {
  const db = new DatabaseSync(file);
  db.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    CREATE TABLE record (id INTEGER PRIMARY KEY, timestamp INTEGER, key BLOB, headers TEXT, value BLOB) STRICT;
  `);
  const insert = db.prepare('INSERT INTO record (timestamp, key, headers, value) VALUES (?, ?, ?, ?)');
  const select = db.prepare(
    'SELECT id, timestamp, key, headers, value FROM record WHERE id > ? ORDER BY id LIMIT 500',
  );
  const key = Buffer.from('run-123');
  return {
    append() {
      for (let at = 0; at < APPENDS; at += BATCH) {
        db.exec('BEGIN IMMEDIATE');
        for (let row = 0; row < BATCH; row += 1) insert.run(Date.now(), key, null, VALUE);
        db.exec('COMMIT');
      }
    },
    read() {
      let last = 0;
      for (let wanted = READS; wanted > 0; ) {
        const rows = select.all(last);
        wanted -= rows.length;
        last = Number(rows.at(-1)?.id ?? 0);
      }
    },
    close: () => db.close(),
  };
}

/** From before the append in one process to the record's arrival in another. */
async function latency(dir: string, log: Log): Promise<readonly Measure[]> {
  const runs = 5;
  const p50: number[] = [];
  const p99: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const waits = await waitsOf(dir, log);
    p50.push(waits[waits.length >> 1] ?? Number.NaN);
    p99.push(waits[Math.floor(waits.length * 0.99)] ?? Number.NaN);
  }
  const named = { unit: 'ms', baseline: null, ratio: null, runs };
  const name = `embedded append to reader across processes at ${RATE}/s`;
  return [
    { ...named, name: `${name}, p50`, value: median(p50) },
    { ...named, name: `${name}, p99`, value: median(p99) },
  ];
}

/** Milliseconds per record, sorted. Values are the writer's monotonic clock, which processes of a machine share. */
async function waitsOf(dir: string, log: Log): Promise<readonly number[]> {
  const [range] = await log.reader.ranges('latency');
  const from = { offset: range?.end ?? 0 };
  const program = new URL('steady-writer.ts', import.meta.url).pathname;
  const writer = spawn(process.execPath, [program, dir, String(RATE), String(SECONDS)], { stdio: 'inherit' });
  const waits: number[] = [];
  const reading = { topic: 'latency', partition: 0, from, until: from.offset + RATE * SECONDS };
  for await (const { records } of log.reader.read(reading)) {
    const now = process.hrtime.bigint();
    for (const { value } of records) {
      const sent = new DataView(value?.buffer ?? new ArrayBuffer(8), value?.byteOffset).getBigUint64(0);
      waits.push(Number(now - sent) / 1e6);
    }
  }
  await new Promise((resolve) => writer.once('close', resolve));
  return waits.sort((a, b) => a - b);
}
