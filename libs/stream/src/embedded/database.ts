import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { applicationId, recordTable, schema, schemaVersion } from './schema.ts';
import { corrupt, isBusy, logError } from './sqlite-error.ts';

/** How long SQLite itself may wait, blocking, for another process's transaction; we wait longer, without blocking. */
const busyTimeoutMs = 20;

const pageBytes = 4096;

interface OpenDatabase {
  readonly file: string;
  readonly db: DatabaseSync;
}

/**
 * Opens the log of a directory, or makes one: readable by its user only, WAL with every commit synced. A
 * file that is not ours, or damaged where a quick look sees it, is refused and left as it is.
 */
export async function openDatabase(dir: string, maxBytes: number | null): Promise<OpenDatabase> {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const file = join(dir, 'log.sqlite');
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
  const db = new DatabaseSync(file);
  try {
    db.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`); // the option of that name came with Node 22.16
    await patiently(() => prepare(db, file));
    if (maxBytes !== null) db.exec(`PRAGMA max_page_count = ${Math.ceil(maxBytes / pageBytes)}`);
    return { file, db };
  } catch (error) {
    db.close();
    throw logError(error, file);
  }
}

/** Tries again, for a while, what fails because another process writes just now. */
export async function patiently<T>(work: () => T): Promise<T> {
  const deadline = Date.now() + 10_000;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || Date.now() > deadline) throw error;
    }
    await sleep(2 + Math.random() * 8);
  }
}

/** Runs in one transaction; nothing of it happened if it throws. */
export function transact<T>(db: DatabaseSync, work: () => T): T {
  return within(db, 'BEGIN IMMEDIATE', work);
}

/** Reads in one snapshot, whatever other processes write meanwhile. */
function snapshot<T>(db: DatabaseSync, read: () => T): T {
  return within(db, 'BEGIN', read);
}

function within<T>(db: DatabaseSync, begin: 'BEGIN' | 'BEGIN IMMEDIATE', work: () => T): T {
  db.exec(begin);
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    rollBack(db);
    throw error;
  }
}

/** Some failures have ended the transaction already; that can be asked from Node 22.16 on only. */
function rollBack(db: DatabaseSync): void {
  try {
    db.exec('ROLLBACK');
  } catch {
    // There was nothing left to roll back.
  }
}

/** The one value of a pragma or query. */
export function scalar(db: DatabaseSync, sql: string): unknown {
  return Object.values(db.prepare(sql).get() ?? {})[0];
}

function prepare(db: DatabaseSync, file: string): void {
  const isNew = isEmpty(db);
  if (!isNew) refuseForeign(db, file);
  if (isNew) db.exec('PRAGMA auto_vacuum = INCREMENTAL');
  db.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA journal_size_limit = 67108864;
  `);
  if (isNew) {
    transact(db, () => {
      if (isEmpty(db)) db.exec(schema);
    });
  }
  refuseForeign(db, file);
  snapshot(db, () => refuseDamaged(db, file));
}

function isEmpty(db: DatabaseSync): boolean {
  return scalar(db, 'SELECT count(*) FROM sqlite_schema') === 0 && scalar(db, 'PRAGMA application_id') === 0;
}

function refuseForeign(db: DatabaseSync, file: string): void {
  if (scalar(db, 'PRAGMA application_id') !== applicationId) {
    throw corrupt(file, 'it is the database of another program');
  }
  const version = scalar(db, 'PRAGMA user_version');
  if (version !== schemaVersion) {
    throw corrupt(file, `its format is version ${version}, and this program knows version ${schemaVersion}`);
  }
}

/** Looks where a look costs little: the small tables in full, and that each lane's last record is there. */
function refuseDamaged(db: DatabaseSync, file: string): void {
  for (const table of ['topic', 'lane', 'committed', 'lease', 'chore']) {
    const verdict = scalar(db, `PRAGMA quick_check(${table})`);
    if (verdict !== 'ok') throw corrupt(file, `it is damaged (${verdict})`);
  }
  for (const { id, end } of db.prepare('SELECT id, "end" FROM lane WHERE "end" > start').all()) {
    const last = scalar(db, `SELECT max(offset) + 1 FROM ${recordTable(Number(id))}`);
    if (last !== end) throw corrupt(file, `records are missing at the end of lane ${id}`);
  }
}
