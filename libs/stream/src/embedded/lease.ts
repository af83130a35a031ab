import { randomUUID } from 'node:crypto';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Committed, LogError } from '../log.ts';
import type { WriteQueue } from './write-queue.ts';

interface LeaseOptions {
  readonly group: string;
  /** Row of the topic. */
  readonly topic: number;
  /** How long a lease holds without being renewed, in milliseconds. */
  readonly leaseMs: number;
}

/**
 * The right of one member to all partitions of its group's topic. It runs out by this machine's clock unless
 * renewed; its generation grows with every change of hands and guards every commit.
 */
export class Lease {
  readonly #queue: WriteQueue;
  readonly #of: LeaseOptions;
  readonly #holder = `${process.pid}/${randomUUID()}`;
  readonly #read: StatementSync;
  readonly #write: StatementSync;
  readonly #commit: StatementSync;
  readonly #committed: StatementSync;
  #generation = 0;
  #until = 0;

  constructor(db: DatabaseSync, queue: WriteQueue, options: LeaseOptions) {
    this.#queue = queue;
    this.#of = options;
    this.#read = db.prepare('SELECT holder, generation, until FROM lease WHERE "group" = ? AND topic = ?');
    this.#write = db.prepare(
      'REPLACE INTO lease ("group", topic, holder, generation, until) VALUES (?, ?, ?, ?, ?)',
    );
    this.#commit = db.prepare('REPLACE INTO committed ("group", lane, offset, metadata) VALUES (?, ?, ?, ?)');
    this.#committed = db.prepare('SELECT offset, metadata FROM committed WHERE "group" = ? AND lane = ?');
  }

  /** The lease has run out unless renewed; another member may have it. */
  get overdue(): boolean {
    return Date.now() >= this.#until;
  }

  /** Takes the lease if nobody holds it now. */
  async acquire(): Promise<boolean> {
    if (!this.#isFree()) return false;
    return this.#queue.submit(1, () => {
      if (!this.#isFree()) return false;
      this.#hold(this.#row().generation + 1, this.#of.leaseMs);
      return true;
    });
  }

  /** Holds the lease for longer. False: another member took it meanwhile. */
  renew(): Promise<boolean> {
    return this.#queue.submit(1, () => {
      if (!this.#isMine()) return false;
      this.#hold(this.#generation, this.#of.leaseMs);
      return true;
    });
  }

  /** Lets another member take the lease at once. */
  async release(): Promise<void> {
    await this.#queue.submit(1, () => {
      if (this.#isMine()) this.#hold(this.#generation, 0);
    });
  }

  /** Commits if the lease is still this member's; else rejects with `fenced`. */
  async commit(lane: number, { offset, metadata }: Committed): Promise<void> {
    await this.#queue.submit(1, () => {
      if (!this.#isMine()) {
        throw new LogError(
          'fenced',
          `Another member of ${this.#of.group} took over. Its commits count, not this one.`,
        );
      }
      this.#commit.run(this.#of.group, lane, offset, metadata);
    });
  }

  committed(lane: number): Committed | null {
    const row = this.#committed.get(this.#of.group, lane);
    return row === undefined ? null : { offset: Number(row.offset), metadata: String(row.metadata) };
  }

  #hold(generation: number, forMs: number): void {
    this.#generation = generation;
    this.#until = Date.now() + forMs;
    this.#write.run(this.#of.group, this.#of.topic, this.#holder, generation, this.#until);
  }

  #isFree(): boolean {
    return this.#row().until <= Date.now();
  }

  #isMine(): boolean {
    const { holder, generation } = this.#row();
    return holder === this.#holder && generation === this.#generation;
  }

  #row(): { holder: string; generation: number; until: number } {
    const row = this.#read.get(this.#of.group, this.#of.topic);
    return row === undefined
      ? { holder: '', generation: 0, until: 0 }
      : { holder: String(row.holder), generation: Number(row.generation), until: Number(row.until) };
  }
}
