import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Headers, OutRecord, Position } from '../record.ts';
import { keyBytes } from '../record-bytes.ts';
import type { LaneStatements } from './lane-records.ts';
import type { Lanes } from './lanes.ts';

/** A lane's row as a transaction goes on. */
interface LaneEnd {
  readonly lane: number;
  readonly insert: StatementSync;
  /** The topic honours the records' own times. */
  readonly ownTime: boolean;
  end: number;
  latest: number;
  ordered: number;
}

/** A lane's row as it is stored. */
interface StoredEnd {
  readonly ownTime: number;
  readonly end: number;
  readonly latest: number;
  readonly ordered: number;
}

/** Appends within a transaction; records must fit and their partitions exist. */
export type AppendRecords = (records: readonly OutRecord[]) => readonly Position[];

export function appendRecords(
  db: DatabaseSync,
  lanes: Lanes,
  statements: (lane: number) => LaneStatements,
): AppendRecords {
  const read = db.prepare(
    `SELECT timestamps = 'create' AS ownTime, "end", latest, ordered
     FROM lane JOIN topic ON topic.id = lane.topic WHERE lane.id = ?`,
  );
  const readEnd = (lane: number): LaneEnd => {
    const { ownTime, ...row } = read.get(lane) as unknown as StoredEnd;
    return { ...row, lane, insert: statements(lane).insert, ownTime: ownTime === 1 };
  };
  const save = db.prepare('UPDATE lane SET "end" = ?, latest = ?, ordered = ? WHERE id = ?');

  return (records) => {
    const now = Date.now();
    const ends = new Map<number, LaneEnd>();
    const endOf = (lane: number): LaneEnd => {
      const end = ends.get(lane) ?? readEnd(lane);
      ends.set(lane, end);
      return end;
    };
    const positions = records.map((record): Position => {
      const { topic, partition, value } = record;
      const at = endOf(lanes.lane(topic, partition));
      const timestamp = timestampOf(record, at, now);
      if (timestamp < at.latest) at.ordered = 0;
      at.latest = Math.max(at.latest, timestamp);
      const offset = at.end++;
      at.insert.run(offset, timestamp, keyBytes(record.key), headersText(record.headers), value);
      return { topic, partition, offset, timestamp };
    });
    for (const { lane, end, latest, ordered } of ends.values()) save.run(end, latest, ordered, lane);
    return positions;
  };
}

/** The log's time never goes back within a lane, whatever this machine's clock does. */
function timestampOf(record: OutRecord, { ownTime, latest }: LaneEnd, now: number): number {
  return (ownTime ? record.timestamp : undefined) ?? Math.max(now, latest);
}

function headersText(headers: Headers = {}): string | null {
  return Object.keys(headers).length === 0 ? null : JSON.stringify(headers);
}
