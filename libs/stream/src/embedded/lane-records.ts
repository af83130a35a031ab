import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { recordTable } from './schema.ts';

/** A record as its table has it, without its offset's meaning: what `slice` yields. */
type RecordRow = [
  offset: number,
  timestamp: number,
  key: Uint8Array | null,
  headers: string | null,
  value: Uint8Array | null,
];

/** The row of a slice, whichever way the platform gives it. */
export function recordRow(row: unknown): RecordRow {
  return (Array.isArray(row) ? row : Object.values(row as object)) as RecordRow;
}

/** The statements over one lane's records. */
export interface LaneStatements {
  /** Offset, timestamp, key, headers, value. */
  readonly insert: StatementSync;
  /** `RecordRow`s from an offset to before another, at most so many. */
  readonly slice: StatementSync;
  /** Offset and timestamp of the first record from an offset on. */
  readonly next: StatementSync;
  /** Offset and timestamp of the first record at or after a time, by looking at all. */
  readonly since: StatementSync;
}

/** Prepares the statements of each lane once. */
export function laneStatements(db: DatabaseSync): (lane: number) => LaneStatements {
  const prepared = new Map<number, LaneStatements>();
  const prepare = (lane: number): LaneStatements => {
    const table = recordTable(lane);
    const slice = db.prepare(
      `SELECT offset, timestamp, key, headers, value FROM ${table}
       WHERE offset >= ? AND offset < ? ORDER BY offset LIMIT ?`,
    );
    slice.setReturnArrays?.(true); // from Node 22.16 on; before, rows are objects
    return {
      insert: db.prepare(
        `INSERT INTO ${table} (offset, timestamp, key, headers, value) VALUES (?, ?, ?, ?, ?)`,
      ),
      slice,
      next: db.prepare(`SELECT offset, timestamp FROM ${table} WHERE offset >= ? ORDER BY offset LIMIT 1`),
      since: db.prepare(
        `SELECT offset, timestamp FROM ${table} WHERE timestamp >= ? ORDER BY offset LIMIT 1`,
      ),
    };
  };
  return (lane) => {
    const statements = prepared.get(lane) ?? prepare(lane);
    prepared.set(lane, statements);
    return statements;
  };
}
