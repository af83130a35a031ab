import type { TopicSpec } from '../log.ts';
import type { InRecord, OutRecord, Position } from '../record.ts';
import { keyBytes } from '../record-bytes.ts';
import type { Slice, SliceFrom } from '../record-source.ts';

/** The records of one partition in memory, with those who wait for more. */
export class PartitionLog {
  readonly #topic: string;
  readonly #partition: number;
  #records: InRecord[] = [];
  #start = 0;
  #end = 0;
  #latest = 0;
  readonly #waiting = new Set<() => void>();

  constructor(topic: string, partition: number) {
    this.#topic = topic;
    this.#partition = partition;
  }

  get records(): readonly InRecord[] {
    return this.#records;
  }

  get range(): { partition: number; start: number; end: number } {
    return { partition: this.#partition, start: this.#start, end: this.#end };
  }

  /** Appends at the log's time, which never goes back, or at the record's own where the topic honours that. */
  append(record: OutRecord, at: { now: number; timestamps: TopicSpec['timestamps'] }): Position {
    const own = at.timestamps === 'create' ? record.timestamp : undefined;
    const timestamp = own ?? Math.max(at.now, this.#latest);
    this.#latest = Math.max(this.#latest, timestamp);
    const position = { topic: this.#topic, partition: this.#partition, offset: this.#end++, timestamp };
    // Copies: what the writer does with its buffers afterwards must not reach the log.
    const key = keyBytes(record.key)?.slice() ?? null;
    const value = record.value?.slice() ?? null;
    this.#records.push({ ...position, key, value, headers: { ...record.headers } });
    return position;
  }

  slice({ offset, limit }: SliceFrom): Slice {
    const first = this.#indexOf(offset);
    return { records: this.#records.slice(first, first + limit), end: this.#end };
  }

  offsetAt(timestamp: number): number {
    return this.#records.find((record) => record.timestamp >= timestamp)?.offset ?? this.#end;
  }

  /** Forgets what lies before the offset, as retention does. */
  trim(before: number): void {
    this.#start = Math.max(this.#start, Math.min(before, this.#end));
    this.#records = this.#records.filter(({ offset }) => offset >= this.#start);
  }

  /** Keeps the last record of each key, as compaction does. */
  compact(): void {
    const last = new Map(this.#records.map(({ key, offset }) => [keyText(key), offset]));
    this.#records = this.#records.filter(
      ({ key, offset }) => key === null || last.get(keyText(key)) === offset,
    );
  }

  /** Calls back once, when something is appended; returns how to stop waiting. */
  wait(grown: () => void): () => void {
    this.#waiting.add(grown);
    return () => this.#waiting.delete(grown);
  }

  /** Index of the first record at or after the offset, by halving. */
  #indexOf(offset: number): number {
    let low = 0;
    let high = this.#records.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#records[middle]?.offset ?? Number.POSITIVE_INFINITY) < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  wake(): void {
    const woken = [...this.#waiting];
    this.#waiting.clear();
    for (const grown of woken) grown();
  }
}

function keyText(key: Uint8Array | null): string {
  return key === null ? '' : Buffer.from(key).toString('hex');
}
