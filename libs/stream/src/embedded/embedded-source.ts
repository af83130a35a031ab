import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { PartitionRange } from '../log.ts';
import type { Headers, InRecord } from '../record.ts';
import type { RecordSource, Slice, SliceFrom } from '../record-source.ts';
import type { Lanes } from './lanes.ts';
import { offsetOf, recordId } from './schema.ts';
import { logError } from './sqlite-error.ts';
import type { Tail } from './tail.ts';

/** A batch of large records ends here, so that neither memory nor the event loop suffers. */
const maxSliceBytes = 4 * 1_048_576;

const noHeaders: Headers = Object.freeze({});

interface LaneRow {
  readonly partition: number;
  readonly start: number;
  readonly end: number;
  readonly ordered: number;
}

type RecordRow = [
  id: number,
  timestamp: number,
  key: Uint8Array | null,
  headers: string | null,
  value: Uint8Array | null,
];

/** The records of an embedded log. Reads are short, and leave the event loop a turn between them. */
export class EmbeddedSource implements RecordSource {
  readonly #file: string;
  readonly #lanes: Lanes;
  readonly #tail: Tail;
  readonly #lane: StatementSync;
  readonly #records: StatementSync;
  readonly #from: StatementSync;
  readonly #since: StatementSync;

  constructor({ db, file }: { db: DatabaseSync; file: string }, lanes: Lanes, tail: Tail) {
    this.#file = file;
    this.#lanes = lanes;
    this.#tail = tail;
    this.#lane = db.prepare('SELECT partition, start, "end", ordered FROM lane WHERE id = ?');
    this.#records = db.prepare(
      'SELECT id, timestamp, key, headers, value FROM record WHERE id >= ? AND id < ? ORDER BY id LIMIT ?',
    );
    this.#records.setReturnArrays(true);
    this.#from = db.prepare('SELECT id, timestamp FROM record WHERE id >= ? AND id < ? ORDER BY id LIMIT 1');
    this.#since = db.prepare(
      'SELECT id FROM record WHERE id >= ? AND id < ? AND timestamp >= ? ORDER BY id LIMIT 1',
    );
  }

  async range(topic: string, partition: number): Promise<PartitionRange> {
    const { start, end } = this.#row(this.#lanes.lane(topic, partition));
    return { partition, start, end };
  }

  async offsetAt(topic: string, partition: number, timestamp: number): Promise<number> {
    return this.#explained(() => this.offsetAtTime(this.#lanes.lane(topic, partition), timestamp));
  }

  /** The first offset of a lane whose record is at or after the time; the end where there is none. */
  offsetAtTime(lane: number, timestamp: number): number {
    const { start, end, ordered } = this.#row(lane);
    const bound = recordId(lane, end);
    if (ordered === 0) {
      const first = this.#since.get(recordId(lane, start), bound, timestamp);
      return first === undefined ? end : offsetOf(Number(first.id));
    }
    let low = start;
    let high = end;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const next = this.#from.get(recordId(lane, middle), bound);
      if (next === undefined || Number(next.timestamp) >= timestamp) high = middle;
      else low = offsetOf(Number(next.id)) + 1;
    }
    const first = this.#from.get(recordId(lane, low), bound);
    return first === undefined ? end : offsetOf(Number(first.id));
  }

  async slice(topic: string, partition: number, { offset, limit }: SliceFrom): Promise<Slice> {
    await new Promise((resolve) => setImmediate(resolve));
    return this.#explained(() => {
      const lane = this.#lanes.lane(topic, partition);
      // The end first: what is appended in between is then above it, and heard of next.
      const { end } = this.#row(lane);
      const rows = this.#records.iterate(recordId(lane, offset), recordId(lane, end), limit);
      const records: InRecord[] = [];
      let bytes = 0;
      for (const row of rows as unknown as Iterable<RecordRow>) {
        const [id, timestamp, key, headers, value] = row;
        records.push({
          topic,
          partition,
          offset: offsetOf(id),
          timestamp,
          key,
          value,
          headers: headers === null ? noHeaders : JSON.parse(headers),
        });
        bytes += value?.length ?? 0;
        if (bytes >= maxSliceBytes) break;
      }
      return { records, end };
    });
  }

  async grown(topic: string, partition: number, from: { end: number; signal: AbortSignal }): Promise<void> {
    await this.#tail.grown(this.#lanes.lane(topic, partition), from);
  }

  #row(lane: number): LaneRow {
    return this.#lane.get(lane) as unknown as LaneRow;
  }

  #explained<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw logError(error, this.#file);
    }
  }
}
