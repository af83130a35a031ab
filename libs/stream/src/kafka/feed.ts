import type { LogError } from '../log.ts';
import type { InRecord } from '../record.ts';
import type { Slice, SliceFrom } from '../record-source.ts';
import type { FetchedPartition } from './fetch-protocol.ts';

/** A feed that holds more bytes asks for no more until some were taken. */
const ROOM_BYTES = 524_288;
/** What a record costs beside its value, roughly. */
const RECORD_BYTES = 100;

/** The records of one answer. */
interface Fetched {
  readonly records: readonly InRecord[];
  readonly bytes: number;
  /** How many of them were handed out. */
  taken: number;
}

/** The records of one partition as they come in, ahead of their reader by a bounded amount. */
export class Feed {
  readonly topic: string;
  readonly partition: number;
  readonly #changed: () => void;
  /** What was fetched and not taken whole, oldest first. */
  #fetched: Fetched[] = [];
  #bytes = 0;
  /** Where the reader goes on; null before it has said where it begins. */
  #next: number | null = null;
  #fetchFrom = 0;
  /** No answer has come since the reader chose its place. */
  #fresh = false;
  #end = 0;
  #error: LogError | null = null;
  #closed = false;
  /** Something was taken since the last fetch. */
  #drained = false;
  #news = Promise.withResolvers<void>();

  /** `changed` is called when the feed begins to want something. */
  constructor(topic: string, partition: number, changed: () => void) {
    this.topic = topic;
    this.partition = partition;
    this.#changed = changed;
  }

  /** The offset to fetch from; null while nothing is wanted. */
  get wanted(): number | null {
    const idle = this.#next === null || this.#closed || this.#error !== null || this.full;
    return idle ? null : this.#fetchFrom;
  }

  get full(): boolean {
    return this.#bytes >= ROOM_BYTES;
  }

  /** The log's end as last heard. */
  get end(): number {
    return this.#end;
  }

  get fresh(): boolean {
    return this.#fresh;
  }

  /** True when the feed is full but about to have room. Forgets. */
  tellDraining(): boolean {
    const draining = this.full && this.#drained;
    this.#drained = false;
    return draining;
  }

  /** The next records from an offset on; none when there are none yet. Rejects when the offset cannot be read. */
  async slice({ offset, limit }: SliceFrom): Promise<Slice> {
    if (this.#next !== offset) this.#place(offset);
    while (this.#pending && this.#error === null && !this.#closed) await this.#news.promise;
    if (this.#error !== null) {
      const error = this.#error;
      this.#error = null;
      this.#next = null;
      throw error;
    }
    return { records: this.#take(limit), end: this.#end };
  }

  /** Nothing to hand out, but not because the log ends here. */
  get #pending(): boolean {
    return this.#fetched.length === 0 && (this.#fresh || this.#fetchFrom < this.#end);
  }

  /** Resolves when there is something to slice, the log's end is above `end`, or nothing will come any more. */
  async grown({ end, signal }: { end: number; signal: AbortSignal }): Promise<void> {
    const wake = (): void => this.#tell();
    signal.addEventListener('abort', wake, { once: true });
    const still = (): boolean => this.#fetched.length === 0 && this.#end <= end && this.#error === null;
    while (still() && !signal.aborted && !this.#closed) await this.#news.promise;
    signal.removeEventListener('abort', wake);
  }

  /** Takes in an answer to a fetch from `offset`; one that the reader has left behind is dropped. */
  accept({ end, records, next }: Pick<FetchedPartition, 'end' | 'records' | 'next'>, offset: number): void {
    if (this.wanted !== offset) return;
    this.#fresh = false;
    this.#end = end;
    this.#add(records, offset);
    if (next !== null) this.#fetchFrom = Math.max(offset, next);
    this.#tell();
  }

  /** Goes on at the log's first present record. */
  skipTo(start: number): void {
    this.#fetchFrom = start;
  }

  /** The next slice rejects with this error. */
  fail(error: LogError): void {
    this.#error = error;
    this.#tell();
  }

  /** Slices are empty from now on, and nobody waits. */
  close(): void {
    this.#closed = true;
    this.#tell();
  }

  #place(offset: number): void {
    this.#fetched = [];
    this.#bytes = 0;
    this.#next = offset;
    this.#fetchFrom = offset;
    this.#fresh = true;
    this.#changed();
  }

  /** Of as many answers as it takes: those to long polls hold a record or two, and a slow reader would stay behind. */
  #take(limit: number): readonly InRecord[] {
    if (this.#fetched.length === 0 || this.#closed) return [];
    const parts: (readonly InRecord[])[] = [];
    for (let left = limit; left > 0 && this.#fetched.length > 0; left -= parts.at(-1)?.length ?? 0)
      parts.push(this.#takeOldest(left));
    const [first = [], ...more] = parts;
    const taken = more.length === 0 ? first : parts.flat();
    this.#drained = true;
    const last = taken.at(-1);
    if (last !== undefined) this.#next = last.offset + 1;
    this.#changed();
    return taken;
  }

  #takeOldest(limit: number): readonly InRecord[] {
    const oldest = this.#fetched[0];
    if (oldest === undefined) return [];
    const { records, bytes } = oldest;
    const whole = oldest.taken === 0 && records.length <= limit;
    const taken = whole ? records : records.slice(oldest.taken, oldest.taken + limit);
    oldest.taken += taken.length;
    if (oldest.taken === records.length) this.#fetched.shift();
    this.#bytes -= (bytes / records.length) * taken.length;
    return taken;
  }

  /** A batch is sent whole, also when the fetch began in its middle. */
  #add(sent: readonly InRecord[], from: number): void {
    const begun = sent.findIndex(({ offset }) => offset >= from);
    if (begun < 0) return;
    const records = begun === 0 ? sent : sent.slice(begun);
    let bytes = 0;
    for (const { value } of records) bytes += RECORD_BYTES + (value?.length ?? 0);
    this.#fetched.push({ records, bytes, taken: 0 });
    this.#bytes += bytes;
  }

  #tell(): void {
    this.#news.resolve();
    this.#news = Promise.withResolvers();
  }
}
