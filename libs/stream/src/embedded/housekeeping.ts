import type { DatabaseSync } from 'node:sqlite';
import { scalar } from './database.ts';
import type { EmbeddedSource } from './embedded-source.ts';
import { recordTable } from './schema.ts';
import type { WriteQueue } from './write-queue.ts';

/** How many records one transaction forgets at most. */
const chunk = 1000;
/** Retention begins to drop the oldest records when the file has grown to this part of its limit. */
const fillShare = 0.8;
/** It ends when the records take no more than this part of it: what comes until the next time finds room. */
const restShare = 0.5;
/** Part of the time that is kept, which one step of that forgets. */
const stepShare = 1 / 16;
/** Tombstones stay for a day, so that a reader who follows hears of them (as Kafka's `delete.retention.ms`). */
const tombstoneMs = 86_400_000;

interface LaneRow {
  readonly id: number;
  readonly start: number;
  readonly end: number;
  readonly latest: number;
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
        `SELECT lane.id, start, "end", latest, cleanup, retentionMs, compacted
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

  /**
   * Forgets the oldest records of topics that allow it until the file is well below its limit: in all lanes what
   * is older than one time, for a quiet lane's newest record may be one that nobody has read yet.
   */
  async #shrink(): Promise<void> {
    const { maxBytes, source } = this.#of;
    if (maxBytes === null || this.#usedBytes() <= maxBytes * fillShare) return;
    const half = this.#forgettable().records / 2;
    for (;;) {
      const { lanes, records, oldest, newest } = this.#forgettable();
      // More than half goes only for want of room: something else may be what is large.
      const enough = maxBytes * (records > half ? restShare : fillShare);
      if (lanes.length === 0 || this.#usedBytes() <= enough) return;
      const before = oldest + Math.max(1, (newest - oldest) * stepShare);
      for (const lane of lanes) await this.#forget(lane, source.offsetAtTime(lane.id, before));
    }
  }

  /** Lanes with records that may go, how many those are, and from which time to which. */
  #forgettable() {
    const lanes = this.#lanes().filter(({ cleanup, start, end }) => cleanup === 'delete' && start < end);
    const since = ({ id }: LaneRow): number =>
      Number(scalar(this.#of.db, `SELECT timestamp FROM ${recordTable(id)} ORDER BY offset LIMIT 1`));
    return {
      lanes,
      records: lanes.reduce((sum, { start, end }) => sum + end - start, 0),
      oldest: Math.min(...lanes.map(since)),
      newest: Math.max(...lanes.map(({ latest }) => latest)),
    };
  }

  #usedBytes(): number {
    const { db } = this.#of;
    const pages = Number(scalar(db, 'PRAGMA page_count')) - Number(scalar(db, 'PRAGMA freelist_count'));
    return pages * Number(scalar(db, 'PRAGMA page_size'));
  }
}
