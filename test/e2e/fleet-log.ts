import type { ReadEvent, Verdict } from '@loopwarden/detection';
import type { Connection } from '@loopwarden/gateway';
import type { InRecord } from '@loopwarden/stream';
import { readLineage, readTrigger } from '@loopwarden/wire';
import type { Stage } from './stage.ts';

/** Where and when a record was appended. */
interface Place {
  readonly partition: number;
  readonly offset: number;
  /** Epoch milliseconds, the broker's. */
  readonly timestamp: number;
}

export interface LoggedEvent extends Place {
  readonly event: ReadEvent;
}

export interface LoggedVerdict extends Place {
  readonly verdict: Verdict;
  readonly value: Uint8Array;
  readonly lineage: number | null;
  /** Offset of the event that led to it; null: none. */
  readonly trigger: number | null;
}

/** All that the topics of a fleet hold, partition after partition, in order. */
export interface FleetLog {
  readonly events: readonly LoggedEvent[];
  readonly verdicts: readonly LoggedVerdict[];
  readonly deadLetters: number;
}

export async function readFleetLog(stage: Stage): Promise<FleetLog> {
  const connection = await stage.connect();
  try {
    const { codec } = connection;
    const of = (topic: string) => recordsOf(connection, `${stage.prefix}${topic}`);
    const events = (await of('events')).map((record) => {
      const decoded = codec.decodeEvent(record.value ?? new Uint8Array());
      if (!decoded.ok) throw new Error(decoded.detail);
      return { ...placeOf(record), event: decoded.value };
    });
    const verdicts = (await of('control')).flatMap((record) => {
      const value = record.value ?? new Uint8Array();
      const decoded = codec.decodeControl(value);
      if (!decoded.ok) throw new Error(decoded.detail);
      if (decoded.value.type !== 'verdict') return [];
      const { verdict } = decoded.value;
      const lineage = readLineage(record.headers);
      const trigger = readTrigger(record.headers)?.offset ?? null;
      return [{ ...placeOf(record), verdict, value, lineage, trigger }];
    });
    const deadLetters = (await of('dead-letters')).length;
    return { events, verdicts, deadLetters };
  } finally {
    await connection.log.close();
  }
}

function placeOf({ partition, offset, timestamp }: InRecord): Place {
  return { partition, offset, timestamp };
}

async function recordsOf({ log }: Connection, topic: string): Promise<readonly InRecord[]> {
  const records: InRecord[] = [];
  for (const { partition } of await log.reader.ranges(topic)) {
    const whole = { topic, partition, from: 'start', until: 'end' } as const;
    for await (const batch of log.reader.read(whole)) records.push(...batch.records);
  }
  return records;
}
