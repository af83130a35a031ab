import type { DatabaseSync } from 'node:sqlite';
import { scalar } from './database.ts';
import type { EmbeddedSource } from './embedded-source.ts';
import { recordTable } from './schema.ts';
import type { WriteQueue } from './write-queue.ts';

/** How many records one transaction forgets at most. */
const chunk = 1000;
/** Retention begins to drop the oldest records when the file has grown to this part of its limit. */
const fillShare = 0.8;
/** Tombstones stay for a day, so that a reader who follows hears of them (as Kafka's `delete.retention.ms`). */
const tombstoneMs = 86_400_000;

interface LaneRow {
  readonly id: number;
  readonly start: number;
  readonly end: number;
  readonly cleanup: 'delete' | 'compact' | 'keep';
  readonly retentionMs: number | null;
  readonly compacted: number;
}

interface HousekeepingOptions {
  readonly db: DatabaseSync;
  readonly queue: WriteQueue;
  readonly source: EmbeddedSource;
  readonly maxBytes: number | null;
}

/** Forgets what the topics' settings let go: too old, too much, or superseded. In small transactions. */
export class Housekeeping {
  readonly #of: HousekeepingOptions;

  constructor(options: HousekeepingOptions) {
    this.#of = options;
  }

  /** Does it all now, unless a process did within `everyMs`. */
  async run(everyMs: number): Promise<void> {
    if (!(await this.#claim(everyMs))) return;
    for (const lane of this.#lanes()) {
      if (lane.cleanup === 'delete' && lane.retentionMs !== null) {
        await this.#forget(lane, this.#of.source.offsetAtTime(lane.id, Date.now() - lane.retentionMs));
      }
      if (lane.cleanup === 'compact' && lane.end > lane.compacted) await this.#compact(lane);
    }
    await this.#shrink();
    await this.#of.queue.submit(chunk, () => this.#of.db.exec('PRAGMA incremental_vacuum(1000)'));
  }

  #claim(everyMs: number): Promise<boolean> {
    const now = Date.now();
    return this.#of.queue.submit(1, () => {
      const last = Number(scalar(this.#of.db, `SELECT at FROM chore WHERE name = 'housekeeping'`) ?? 0);
      // A last time in the future is a clock that stepped back.
      if (last <= now && now - last < everyMs) return false;
      this.#of.db.prepare(`REPLACE INTO chore (name, at) VALUES ('housekeeping', ?)`).run(now);
      return true;
    });
  }

  #lanes(): readonly LaneRow[] {
    return this.#of.db
      .prepare(
        `SELECT lane.id, start, "end", cleanup, retentionMs, compacted
         FROM lane JOIN topic ON topic.id = lane.topic`,
      )
      .all() as unknown as LaneRow[];
  }

  /** Forgets a lane's records before an offset. */
  async #forget({ id, start }: Pick<LaneRow, 'id' | 'start'>, before: number): Promise<void> {
    const { db, queue } = this.#of;
    const remove = db.prepare(`DELETE FROM ${recordTable(id)} WHERE offset < ?`);
    const move = db.prepare('UPDATE lane SET start = ? WHERE id = ? AND start < ?');
    for (let from = start; from < before; from += chunk) {
      const to = Math.min(from + chunk, before);
      await queue.submit(chunk, () => {
        remove.run(to);
        move.run(to, id, to);
      });
    }
  }

  /** Keeps the last record of each key, and tombstones for a day; what is superseded once stays superseded. */
  async #compact({ id, end }: LaneRow): Promise<void> {
    const { db, queue } = this.#of;
    const table = recordTable(id);
    const superseded = db
      .prepare(
        `SELECT offset FROM (
           SELECT offset, value IS NULL AND timestamp < ? AS expired, max(offset) OVER (PARTITION BY key) AS last
           FROM ${table} WHERE offset < ? AND key IS NOT NULL
         ) WHERE offset < last OR (expired AND offset < ?)`,
      )
      .all(Date.now() - tombstoneMs, end, end - 1)
      .map(({ offset }) => Number(offset));
    const remove = db.prepare(`DELETE FROM ${table} WHERE offset = ?`);
    for (let from = 0; from < superseded.length; from += chunk) {
      await queue.submit(chunk, () => {
        for (const offset of superseded.slice(from, from + chunk)) remove.run(offset);
      });
    }
    await queue.submit(1, () => db.prepare('UPDATE lane SET compacted = ? WHERE id = ?').run(end, id));
  }

  /** Forgets the oldest records of topics that allow it, until the file is well below its limit. */
  async #shrink(): Promise<void> {
    const { maxBytes } = this.#of;
    if (maxBytes === null) return;
    while (this.#usedBytes() > maxBytes * fillShare) {
      const lane = this.#oldestLane();
      if (lane === undefined) return;
      await this.#forget(lane, Math.min(lane.start + chunk, lane.end));
    }
  }

  /** The lane whose first record is the oldest, of those that may forget any. */
  #oldestLane(): LaneRow | undefined {
    const first = ({ id }: LaneRow): number =>
      Number(scalar(this.#of.db, `SELECT timestamp FROM ${recordTable(id)} ORDER BY offset LIMIT 1`));
    const lanes = this.#lanes().filter(({ cleanup, start, end }) => cleanup === 'delete' && start < end);
    const [oldest] = lanes
      .map((lane) => ({ lane, since: first(lane) }))
      .sort((one, other) => one.since - other.since || other.lane.end - one.lane.end);
    return oldest?.lane;
  }

  #usedBytes(): number {
    const { db } = this.#of;
    const pages = Number(scalar(db, 'PRAGMA page_count')) - Number(scalar(db, 'PRAGMA freelist_count'));
    return pages * Number(scalar(db, 'PRAGMA page_size'));
  }
}
