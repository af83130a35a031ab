import type { Batch, OutRecord, Position } from './record.ts';

/**
 * The log contract: what every driver promises, and what `contract/` tests. Offsets are integers below
 * 2^53. No type of a driver's client crosses this border.
 */
export interface Log {
  /** A writer. Awaited and concurrent appends of one writer keep their order per partition. */
  writer(): LogWriter;
  /** Joins a consumer group. Resolves when the membership is set up; assignment comes by callback. */
  join(options: GroupOptions, handlers: GroupHandlers): Promise<LogGroup>;
  readonly reader: LogReader;
  readonly admin: LogAdmin;
  health(): LogHealth;
  /** Closes everything that was opened through this log. */
  close(): Promise<void>;
}

export interface LogWriter {
  /**
   * Appends and resolves with one position per record, in order, once all are acknowledged (durable as the
   * driver declares). Rejects with a `LogError`; what was appended before the failure is then unknown.
   */
  append(records: readonly OutRecord[]): Promise<readonly Position[]>;
  close(): Promise<void>;
}

export interface GroupOptions {
  readonly group: string;
  readonly topic: string;
  /** Upper bound of records per batch. */
  readonly batchSize?: number;
  /** Names the member in logs. */
  readonly clientId?: string;
  /**
   * Names the replica, by the same name after each restart: letters, digits, `.`, `_`, `-`, at most 249. A process
   * that was killed and joins under it again has its partitions back at once, and another one that still runs under
   * it is `replaced`. Drivers that miss a dead member at once ignore it.
   */
  readonly instance?: string;
}

/** What a group remembers of a partition: the offset of the next record to process, and metadata. */
export interface Committed {
  readonly offset: number;
  readonly metadata: string;
}

export interface Assignment {
  readonly topic: string;
  readonly partition: number;
  readonly committed: Committed | null;
  /**
   * Aborts when the partition is lost; while `assigned` runs, as soon as the partition is wanted back, so
   * that a restore stops at once. A batch in flight may finish, and be committed, before `lost`.
   */
  readonly signal: AbortSignal;
}

export interface GroupHandlers {
  /**
   * A partition was assigned. Resolves with the offset that delivery begins at (below the log's start: the
   * first present record). Partitions are restored side by side; other partitions' batches are delivered
   * meanwhile. A rejection is reported through `failed` and gives the partition up: it is lost, then, after
   * a pause, assigned anew.
   */
  assigned(assignment: Assignment): Promise<number>;
  /**
   * The partition was lost or given up: nothing more may be published for it. Called once per `assigned`,
   * also when that rejected, and when the member leaves.
   */
  lost(partition: { topic: string; partition: number }): void;
  /**
   * One batch; at most one in flight per partition, partitions side by side. The next batch of the
   * partition follows when it resolves. A rejection is reported through `failed` and gives the partition
   * up: it is lost, then, after a pause, assigned anew, and delivery begins where `assigned` says.
   */
  batch(batch: Batch): Promise<void>;
  /** Something went wrong that the driver survives or not; for logs and readiness. */
  failed(error: LogError): void;
}

export interface LogGroup {
  /**
   * Commits the offset of the next record to process. Rejects with code `fenced` when the member no longer
   * owns the partition; the partition is lost then.
   */
  commit(topic: string, partition: number, committed: Committed): Promise<void>;
  /** Leaves the group after the batches in flight have been processed. */
  close(): Promise<void>;
}

/** Where a read begins. A timestamp means the first record at or after it. */
export type ReadFrom = { readonly offset: number } | { readonly timestamp: number } | 'start' | 'end';

export interface ReadOptions {
  readonly topic: string;
  readonly partition: number;
  readonly from: ReadFrom;
  /** Exclusive end offset, waited for; `end`: the log's end at the start of the read; `never`: follow. */
  readonly until: number | 'end' | 'never';
  readonly batchSize?: number;
  readonly signal?: AbortSignal;
}

/** The offsets of a partition: no record lies before `start`; `end` is the offset of the next record. */
export interface PartitionRange {
  readonly partition: number;
  readonly start: number;
  readonly end: number;
}

export interface LogReader {
  /** Reads without a group. Ends when the end is reached, the signal aborts or the log is closed. */
  read(options: ReadOptions): AsyncIterable<Batch>;
  ranges(topic: string): Promise<readonly PartitionRange[]>;
  /** First offset whose record is at or after the timestamp, per partition; the end where there is none. */
  offsetsAt(topic: string, timestamp: number): Promise<ReadonlyMap<number, number>>;
  /** What a group has committed of a topic, by partition. */
  committed(group: string, topic: string): Promise<ReadonlyMap<number, Committed>>;
}

/** One topic as `schemas/topics.json` declares it, name with prefix. */
export interface TopicSpec {
  readonly name: string;
  readonly partitions: number;
  readonly cleanup: 'delete' | 'compact' | 'keep';
  /** Milliseconds; null: no limit. */
  readonly retentionMs: number | null;
  readonly timestamps: 'append' | 'create';
}

/** A difference between a topic as declared and as it is. `actual` null: the topic is missing. */
export interface Drift {
  readonly topic: string;
  readonly setting: string;
  readonly expected: string;
  readonly actual: string | null;
}

export interface LogAdmin {
  /** What differs between the topics as declared and as they are, missing topics included. Changes nothing. */
  plan(topics: readonly TopicSpec[]): Promise<readonly Drift[]>;
  /**
   * Creates missing topics and applies changed settings. Partition counts never change and nothing is ever
   * deleted. Resolves with the drift that remains.
   */
  apply(topics: readonly TopicSpec[]): Promise<readonly Drift[]>;
  topics(): Promise<readonly string[]>;
}

export interface LogHealth {
  readonly ok: boolean;
  /** A sentence for people when not ok. */
  readonly detail: string;
}

export type LogErrorCode =
  /** The log cannot be reached or does not answer now; trying again may help. What it was asked may have happened. */
  | 'unavailable'
  /** Another member owns the partition. */
  | 'fenced'
  /** Another process joined the group under this member's instance: this one gets nothing any more. */
  | 'replaced'
  /** The record is too large or the topic or partition unknown: trying again does not help. Nothing happened. */
  | 'refused'
  /** The disk is full. */
  | 'full'
  /** The file is not a log of ours or is damaged. */
  | 'corrupt'
  /** The driver was closed. */
  | 'closed'
  /** A handler of a group rejected: its partition was given up and is assigned anew. */
  | 'handler';

/** An expected failure of a log: a stable code and a sentence that says what to do. */
export class LogError extends Error {
  readonly code: LogErrorCode;

  constructor(code: LogErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'LogError';
    this.code = code;
  }
}
