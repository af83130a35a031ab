import type { LogError } from '../log.ts';
import type { OutRecord, Position } from '../record.ts';
import { recordBytes } from '../record-bytes.ts';

/** One call of `append`: done when every one of its records has a position. */
export class Append {
  readonly done: Promise<readonly Position[]>;
  readonly #positions: Position[];
  #missing: number;
  #resolve: (positions: readonly Position[]) => void = () => undefined;
  #reject: (error: LogError) => void = () => undefined;

  constructor(size: number) {
    this.#positions = new Array<Position>(size);
    this.#missing = size;
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  place(index: number, position: Position): void {
    this.#positions[index] = position;
    this.#missing -= 1;
    if (this.#missing === 0) this.#resolve(this.#positions);
  }

  fail(error: LogError): void {
    this.#reject(error);
  }
}

interface Waiting {
  readonly record: OutRecord;
  readonly append: Append;
  readonly index: number;
  /** On the monotonic clock. */
  readonly deadline: number;
}

/** A record as the client's encoder takes it. */
export interface Message {
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timestamp: string;
}

/** The broker's bound is on a whole batch, and allows for what framing adds to one largest record. */
const BATCH_BYTES = 1_048_576;

/** The records of one partition on their way, oldest first; one request of them at a time. */
export class PartitionQueue {
  readonly topic: string;
  readonly partition: number;
  #waiting: Waiting[] = [];
  #flight: Waiting[] = [];
  #stamp = 0;
  /** How many of the oldest records go one by one, to find the one that was refused among them. */
  #singly = 0;

  constructor(topic: string, partition: number) {
    this.topic = topic;
    this.partition = partition;
  }

  get inFlight(): number {
    return this.#flight.length;
  }

  get empty(): boolean {
    return this.#waiting.length === 0 && this.#flight.length === 0;
  }

  /** True when records wait and none are in flight. */
  get ready(): boolean {
    return this.#flight.length === 0 && this.#waiting.length > 0;
  }

  /** True when the next request must hold nothing but one record. */
  get single(): boolean {
    return this.#singly > 0;
  }

  add(waiting: Waiting): void {
    this.#waiting.push(waiting);
  }

  /** As many of the oldest records as fit into one batch, at least one; they are in flight from now on. */
  take(): Message[] {
    let bytes = 0;
    let count = 0;
    for (const { record } of this.#waiting) {
      bytes += recordBytes(record);
      if (count > 0 && (bytes > BATCH_BYTES || this.single)) break;
      count += 1;
    }
    this.#singly = Math.max(0, this.#singly - 1);
    this.#flight = this.#waiting.splice(0, count);
    this.#stamp = Date.now();
    const now = String(this.#stamp);
    return this.#flight.map(({ record }) => message(record, now));
  }

  /** The broker wrote what was in flight; `appendTime` −1: with the writer's own timestamps. */
  acknowledge(baseOffset: number, appendTime: number): void {
    const { topic, partition } = this;
    const flight = this.#flight;
    this.#flight = [];
    flight.forEach(({ record, append, index }, at) => {
      const timestamp = appendTime >= 0 ? appendTime : (record.timestamp ?? this.#stamp);
      append.place(index, { topic, partition, offset: baseOffset + at, timestamp });
    });
  }

  /** What was in flight goes back to the front, to be tried again, together or one by one. */
  putBack(how: 'together' | 'singly'): void {
    if (how === 'singly') this.#singly += this.#flight.length;
    this.#waiting = this.#flight.concat(this.#waiting);
    this.#flight = [];
  }

  /** Trying again does not help: what was in flight failed. */
  fail(error: LogError): void {
    for (const { append } of this.#flight) append.fail(error);
    this.#flight = [];
  }

  /** Gives up what has waited beyond its deadline. */
  expire(now: number, error: LogError): void {
    for (const { append, deadline } of this.#waiting) if (deadline <= now) append.fail(error);
    this.#waiting = this.#waiting.filter(({ deadline }) => deadline > now);
  }
}

function message(record: OutRecord, now: string): Message {
  const timestamp = record.timestamp === undefined ? now : String(record.timestamp);
  const { headers } = record;
  const bare = { key: buffer(record.key), value: buffer(record.value), timestamp };
  return headers === undefined ? bare : { ...bare, headers };
}

function buffer(bytes: Uint8Array | string | null): Buffer | null {
  if (bytes === null || Buffer.isBuffer(bytes)) return bytes;
  return typeof bytes === 'string'
    ? Buffer.from(bytes)
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
