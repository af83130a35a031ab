import type { OpenedLog } from '../open-log.ts';
import { readRecords } from '../records/read-records.ts';

/** Codes of the dead letters of one partition of events, by offset. */
export type DeadEvents = ReadonlyMap<number, string>;

const NONE: DeadEvents = new Map();

/** Offsets that are remembered; an incident with more dead letters is none of loops. */
const LETTERS_HELD = 1_000_000;

/** Which events became dead letters since a time, by partition. */
export async function readDeadEvents(
  opened: OpenedLog,
  since: number,
): Promise<(partition: number) => DeadEvents> {
  const { codec, topics } = opened;
  const byPartition = new Map<number, Map<number, string>>();
  const from = { timestamp: since };
  let held = 0;
  for await (const { value } of readRecords(opened, {
    topic: topics.deadLetters,
    partition: 0,
    from,
    until: 'end',
  })) {
    const decoded = value === null ? null : codec.decodeDeadLetter(value);
    if (!decoded?.ok || decoded.value.topic !== topics.events) continue;
    const { partition, offset, code } = decoded.value;
    const codes = byPartition.get(partition) ?? new Map<number, string>();
    byPartition.set(partition, codes.set(offset, code));
    held += 1;
    if (held >= LETTERS_HELD) break;
  }
  return (partition) => byPartition.get(partition) ?? NONE;
}
