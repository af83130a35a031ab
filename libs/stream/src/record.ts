export type Headers = Readonly<Record<string, string>>;

/** A record as read from a log. `offset` grows by at least one per record of a partition. */
export interface InRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  /** Record timestamp, epoch milliseconds: the time of the event. */
  readonly timestamp: number;
  readonly key: Uint8Array | null;
  /** Null: a tombstone. */
  readonly value: Uint8Array | null;
  readonly headers: Headers;
}

/** A record to append. The writer of the record chooses the partition (`partitionOf`). */
export interface OutRecord {
  readonly topic: string;
  readonly partition: number;
  readonly key: Uint8Array | string | null;
  readonly value: Uint8Array | null;
  readonly headers?: Headers;
  /** Epoch milliseconds; only honoured by topics with CreateTime (imports). */
  readonly timestamp?: number;
}

/** Where an acknowledged record stands. */
export interface Position {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly timestamp: number;
}

/** Consecutive records of one partition, oldest first; never empty. */
export interface Batch {
  readonly topic: string;
  readonly partition: number;
  readonly records: readonly InRecord[];
  /** The log's end (offset of the next record) as known when the batch was fetched. */
  readonly end: number;
}
