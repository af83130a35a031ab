import type { LogReader } from '@loopwarden/stream';
import type { Parts } from './assemble.ts';
import { afterReset, hearControl } from './control-ear.ts';
import { decodeRecord } from './decode-record.ts';
import { follow } from './follow.ts';
import { hearPolicy } from './policy-ear.ts';

/** A partition, and the offset of the first record to hear. */
interface Place {
  readonly topic: string;
  readonly partition: number;
  readonly from: number;
}

/** Hears one partition of `control` until the gateway closes. */
export function followControl(parts: Parts, place: Place): Promise<void> {
  const { desk } = parts;
  return follow({
    ...common(parts, place),
    async heard(record) {
      const decoded = await decodeRecord(desk.options.log, record, (codec, value) =>
        codec.decodeControl(value),
      );
      if (decoded.ok) return hearControl(desk, record, decoded.value);
      const { topic, partition, offset } = record;
      desk.tell({ kind: 'skipped', topic, partition, offset, detail: decoded.detail });
    },
    reset: () => afterReset(desk, place.partition),
  });
}

/** Reads the policies that there are. Resolves with the place of the next. */
export async function readPolicies({ desk }: Parts, topic: string): Promise<Place> {
  const { reader } = desk.options.log.log;
  const [range] = await reader.ranges(topic);
  const until = range?.end ?? 0;
  for await (const record of recordsOf(reader, { topic, partition: 0, from: range?.start ?? 0, until })) {
    await hearPolicy(desk, record);
  }
  return { topic, partition: 0, from: until };
}

/** Hears new policies until the gateway closes. */
export function followPolicies(parts: Parts, place: Place): Promise<void> {
  return follow({
    ...common(parts, place),
    heard: (record) => hearPolicy(parts.desk, record),
    reset: () => {}, // kept for ever: there is nothing to lose
  });
}

function common({ desk, closing, trouble }: Parts, place: Place) {
  const { log, clock } = desk.options;
  return {
    ...place,
    reader: log.log.reader,
    clock,
    signal: closing.signal,
    trouble: (detail: string | null) => trouble.at(`${place.topic} ${place.partition}`, detail),
  };
}

async function* recordsOf(reader: LogReader, { topic, partition, from, until }: Place & { until: number }) {
  const batches = reader.read({ topic, partition, from: { offset: from }, until });
  for await (const { records } of batches) yield* records;
}
