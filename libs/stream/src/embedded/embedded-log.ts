import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import {
  type GroupHandlers,
  type GroupOptions,
  type Log,
  LogError,
  type LogGroup,
  type LogHealth,
  type LogReader,
  type LogWriter,
} from '../log.ts';
import type { OutRecord } from '../record.ts';
import { refuseUnfit } from '../record-bytes.ts';
import { readBatches } from '../record-source.ts';
import { type AppendRecords, appendRecords } from './append-records.ts';
import { openDatabase } from './database.ts';
import { Doorbell } from './doorbell.ts';
import { EmbeddedMember } from './embedded-member.ts';
import { EmbeddedSource } from './embedded-source.ts';
import { Housekeeping } from './housekeeping.ts';
import { laneStatements } from './lane-records.ts';
import { Lanes } from './lanes.ts';
import { Lease } from './lease.ts';
import { Tail } from './tail.ts';
import { WriteQueue } from './write-queue.ts';

export interface EmbeddedLogOptions {
  /** The log's directory; made if it is missing, for its user alone. */
  readonly dir: string;
  /**
   * What the log may take on disk, in bytes; unless given, what there is. Near it the oldest records of
   * topics that are cleaned by age go early; at it an append is `full`.
   */
  readonly maxBytes?: number;
  /** How long a group waits for a member that stopped answering before another takes over; 5 s unless given. */
  readonly leaseMs?: number;
}

const housekeepingMs = 30_000;

/** The log of one machine: a directory that several processes of one user share. */
class EmbeddedLog implements Log {
  readonly reader: LogReader;
  readonly admin: Log['admin'];
  readonly #db: DatabaseSync;
  readonly #file: string;
  readonly #leaseMs: number;
  readonly #lanes: Lanes;
  readonly #queue: WriteQueue;
  readonly #bell: Doorbell;
  readonly #source: EmbeddedSource;
  readonly #append: AppendRecords;
  readonly #housekeeping: Housekeeping;
  readonly #chores: NodeJS.Timeout;
  readonly #closing = new AbortController();
  readonly #members = new Set<EmbeddedMember>();
  #failure: LogError | null = null;
  #closed: Promise<void> | undefined;

  private constructor(opened: { db: DatabaseSync; file: string }, options: EmbeddedLogOptions) {
    const { db, file } = opened;
    const { dir, maxBytes = null, leaseMs = 5000 } = options;
    this.#db = db;
    this.#file = file;
    this.#leaseMs = leaseMs;
    this.#lanes = new Lanes(db);
    const tail = new Tail(db, (somebody) => (somebody ? this.#bell.listen() : this.#bell.rest()));
    const version = db.prepare('PRAGMA data_version');
    this.#bell = new Doorbell(join(dir, 'log.bell'), {
      version: () => version.get()?.data_version,
      heard: () => tail.look(),
    });
    this.#queue = new WriteQueue(opened, {
      committed: () => {
        this.#failure = null;
        this.#bell.ring();
      },
      failed: (error) => this.#failed(error),
    });
    const statements = laneStatements(db);
    this.#source = new EmbeddedSource({ ...opened, lanes: this.#lanes, tail, statements });
    this.#append = appendRecords(db, this.#lanes, statements);
    this.#housekeeping = new Housekeeping({ db, queue: this.#queue, source: this.#source, maxBytes });
    this.#chores = setInterval(() => void this.#keepHouse(housekeepingMs), housekeepingMs).unref();
    this.reader = this.#makeReader();
    this.admin = {
      plan: (topics) => this.#open(() => this.#lanes.plan(topics)),
      apply: (topics) => this.#open(() => this.#queue.submit(1, () => this.#lanes.apply(topics))),
      topics: () => this.#open(() => this.#lanes.names()),
    };
  }

  static async open(options: EmbeddedLogOptions): Promise<EmbeddedLog> {
    return new EmbeddedLog(await openDatabase(options.dir, options.maxBytes ?? null), options);
  }

  writer(): LogWriter {
    let open = true;
    return {
      append: (records) =>
        this.#open(() => {
          if (!open) throw closed(this.#file);
          this.#refuseUnfit(records);
          return records.length === 0 ? [] : this.#queue.submit(records.length, () => this.#append(records));
        }),
      close: async () => {
        open = false;
      },
    };
  }

  join(options: GroupOptions, handlers: GroupHandlers): Promise<LogGroup> {
    return this.#open(() => {
      const { id: topic, lanes } = this.#lanes.topic(options.topic);
      const leaseMs = this.#leaseMs;
      const lease = new Lease(this.#db, this.#queue, { group: options.group, topic, leaseMs });
      const member = new EmbeddedMember({ options, handlers, lease, leaseMs, lanes, source: this.#source });
      this.#members.add(member);
      return {
        commit: (at, partition, committed) => member.commit(at, partition, committed),
        close: async () => {
          await member.close();
          this.#members.delete(member);
        },
      };
    });
  }

  health(): LogHealth {
    if (this.#closing.signal.aborted) return { ok: false, detail: closed(this.#file).message };
    return this.#failure === null
      ? { ok: true, detail: `Writing to ${this.#file}.` }
      : { ok: false, detail: this.#failure.message };
  }

  /** Forgets now what retention and compaction let go, instead of within half a minute. */
  async housekeep(): Promise<void> {
    await this.#housekeeping.run(0);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#closing.abort();
    clearInterval(this.#chores);
    await Promise.all([...this.#members].map((member) => member.close()));
    await this.#queue.idle();
    // Reads that have begun end within this turn.
    await new Promise((resolve) => setImmediate(resolve));
    this.#bell.close();
    this.#db.close();
  }

  /** Refuses what is asked of a closed log; errors become rejections. */
  async #open<T>(work: () => T | Promise<T>): Promise<T> {
    if (this.#closing.signal.aborted) throw closed(this.#file);
    return work();
  }

  #refuseUnfit(records: readonly OutRecord[]): void {
    for (const record of records) {
      refuseUnfit(record, this.#lanes.topic(record.topic).lanes.length);
    }
  }

  #makeReader(): LogReader {
    const source = this.#source;
    const lanesOf = (topic: string): readonly number[] => this.#lanes.topic(topic).lanes;
    return {
      read: (options) => {
        const signals = [this.#closing.signal, ...(options.signal === undefined ? [] : [options.signal])];
        return readBatches(source, { ...options, signal: AbortSignal.any(signals) });
      },
      ranges: (topic) =>
        this.#open(() => Promise.all(lanesOf(topic).map((_, partition) => source.range(topic, partition)))),
      offsetsAt: (topic, timestamp) =>
        this.#open(
          () => new Map(lanesOf(topic).map((lane, at) => [at, source.offsetAtTime(lane, timestamp)])),
        ),
      committed: (group, topic) =>
        this.#open(() => {
          const rows = this.#db
            .prepare(
              `SELECT partition, offset, metadata FROM committed JOIN lane ON lane.id = lane
               WHERE "group" = ? AND topic = ? ORDER BY partition`,
            )
            .all(group, this.#lanes.topic(topic).id);
          return new Map(
            rows.map(({ partition, offset, metadata }) => [
              Number(partition),
              { offset: Number(offset), metadata: String(metadata) },
            ]),
          );
        }),
    };
  }

  #failed(error: unknown): void {
    if (!(error instanceof LogError)) return;
    const wasFull = this.#failure?.code === 'full';
    this.#failure = error;
    if (error.code === 'full' && !wasFull) void this.#keepHouse(0);
  }

  async #keepHouse(everyMs: number): Promise<void> {
    try {
      await this.#housekeeping.run(everyMs);
    } catch (error) {
      this.#failed(error);
    }
  }
}

function closed(file: string): LogError {
  return new LogError('closed', `The log ${file} was closed. Open it again to use it.`);
}

/**
 * Opens the log of a directory. What was acknowledged survives the death of any process at any point, and,
 * as far as the disk keeps its word about syncing, the loss of power.
 */
export function openEmbeddedLog(options: EmbeddedLogOptions): Promise<EmbeddedLog> {
  return EmbeddedLog.open(options);
}
