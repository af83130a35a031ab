import { type InRecord, LogError, type LogReader } from '@loopwarden/stream';
import type { Clock } from './clock.ts';
import { reasonOf } from './reason-of.ts';

/** What follows one partition from a position on. */
interface Following {
  readonly reader: LogReader;
  readonly topic: string;
  readonly partition: number;
  /** Offset of the first record to hear. */
  readonly from: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** One record after the other; what it returns is waited for. */
  heard(record: InRecord): void | Promise<void>;
  /** Records that were not read yet are gone. */
  reset(): void;
  /** The log did not answer (a sentence), or answers again (null). */
  trouble(detail: string | null): void;
}

const PAUSE_MS = 500;

/** Hears a partition until the signal aborts or the log is closed. Never rejects: trouble is told, and then tried again. */
export async function follow(following: Following): Promise<void> {
  let position = following.from;
  let troubled = false;
  while (!following.signal.aborted) {
    try {
      position = await withinRange(following, position);
      if (troubled) following.trouble(null);
      troubled = false;
      for await (const records of recordsFrom(following, position)) {
        if ((records[0]?.offset ?? position) > position) await withinRange(following, position);
        for (const record of records) {
          await following.heard(record);
          position = record.offset + 1;
        }
      }
    } catch (error) {
      if (following.signal.aborted || (error instanceof LogError && error.code === 'closed')) return;
      troubled = true;
      following.trouble(reasonOf(error));
    }
    if (!following.signal.aborted) await pause(following);
  }
}

async function* recordsFrom({ reader, topic, partition, signal }: Following, offset: number) {
  const batches = reader.read({ topic, partition, from: { offset }, until: 'never', signal });
  for await (const { records } of batches) yield records;
}

/** The position, moved to where the log's records are; what lies between is lost, and said so. */
async function withinRange(following: Following, position: number): Promise<number> {
  const ranges = await following.reader.ranges(following.topic);
  const range = ranges.find(({ partition }) => partition === following.partition);
  if (range === undefined || (position >= range.start && position <= range.end)) return position;
  following.reset();
  return position < range.start ? range.start : range.end;
}

function pause({ clock, signal }: Following): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const callOff = clock.later(PAUSE_MS, resolve);
  const stop = (): void => {
    callOff();
    resolve();
  };
  signal.addEventListener('abort', stop, { once: true });
  return promise.finally(() => signal.removeEventListener('abort', stop));
}
