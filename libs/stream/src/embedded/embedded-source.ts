import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { PartitionRange } from '../log.ts';
import type { Headers, InRecord } from '../record.ts';
import type { RecordSource, Slice, SliceFrom } from '../record-source.ts';
import { type LaneStatements, recordRow } from './lane-records.ts';
import type { Lanes } from './lanes.ts';
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

interface EmbeddedSourceOptions {
  readonly db: DatabaseSync;
  readonly file: string;
  readonly lanes: Lanes;
  readonly tail: Tail;
  readonly statements: (lane: number) => LaneStatements;
}

/** The records of an embedded log. Reads are short, and leave the event loop a turn between them. */
export class EmbeddedSource implements RecordSource {
  readonly #file: string;
  readonly #lanes: Lanes;
  readonly #tail: Tail;
  readonly #statements: (lane: number) => LaneStatements;
  readonly #lane: StatementSync;

  constructor({ db, file, lanes, tail, statements }: EmbeddedSourceOptions) {
    this.#file = file;
    this.#lanes = lanes;
    this.#tail = tail;
    this.#statements = statements;
    this.#lane = db.prepare('SELECT partition, start, "end", ordered FROM lane WHERE id = ?');
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
    const { next, since } = this.#statements(lane);
    if (ordered === 0) return Number(since.get(timestamp)?.offset ?? end);
    let low = start;
    let high = end;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const record = next.get(middle);
      if (record === undefined || Number(record.timestamp) >= timestamp) high = middle;
      else low = Number(record.offset) + 1;
    }
    return Number(next.get(low)?.offset ?? end);
  }

  async slice(topic: string, partition: number, { offset, limit }: SliceFrom): Promise<Slice> {
    await new Promise((resolve) => setImmediate(resolve));
    return this.#explained(() => {
      const lane = this.#lanes.lane(topic, partition);
      // The end first: what is appended in between is then above it, and heard of next.
      const { end } = this.#row(lane);
      const rows = this.#statements(lane).slice.iterate(offset, end, limit);
      const records: InRecord[] = [];
      let bytes = 0;
      for (const row of rows) {
        const [at, timestamp, key, headers, value] = recordRow(row);
        records.push({
          topic,
          partition,
          offset: at,
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
