import type { Committed, PartitionRange } from '../log.ts';
import { refuseUnknown } from '../record-bytes.ts';
import type { Brokers } from './brokers.ts';
import { failureType, toLogError } from './failure.ts';

const EARLIEST = -2;
const LATEST = -1;
const ATTEMPTS = 8;

/** Partitions of one topic, all asked for together. */
interface Asked {
  readonly topic: string;
  readonly partitions: readonly number[];
}

/** First present offset and end of some partitions. */
export async function rangesOf(brokers: Brokers, asked: Asked): Promise<readonly PartitionRange[]> {
  const [starts, ends] = await Promise.all([
    offsetsAt(brokers, { ...asked, timestamp: EARLIEST }),
    offsetsAt(brokers, { ...asked, timestamp: LATEST }),
  ]);
  return asked.partitions.map((partition) => ({
    partition,
    start: starts.get(partition) ?? 0,
    end: ends.get(partition) ?? 0,
  }));
}

export async function rangeOf(brokers: Brokers, topic: string, partition: number): Promise<PartitionRange> {
  const [range] = await rangesOf(brokers, { topic, partitions: [partition] });
  return range ?? { partition, start: 0, end: 0 };
}

/** The first offsets at or after a timestamp (epoch milliseconds); the end where there is none. */
export async function offsetsSince(
  brokers: Brokers,
  asked: Asked & { readonly timestamp: number },
): Promise<ReadonlyMap<number, number>> {
  const found = await offsetsAt(brokers, asked);
  if (found.size === asked.partitions.length) return found;
  return new Map([...(await offsetsAt(brokers, { ...asked, timestamp: LATEST })), ...found]);
}

export async function offsetSince(
  brokers: Brokers,
  { topic, partition, timestamp }: { topic: string; partition: number; timestamp: number },
): Promise<number> {
  const offsets = await offsetsSince(brokers, { topic, partitions: [partition], timestamp });
  return offsets.get(partition) ?? 0;
}

/** Asks the leaders, each once. A partition where there is no such offset is left out. */
async function offsetsAt(
  brokers: Brokers,
  { topic, partitions, timestamp }: Asked & { readonly timestamp: number },
): Promise<ReadonlyMap<number, number>> {
  const count = await brokers.partitions(topic);
  for (const partition of partitions) refuseUnknown(topic, partition, count);
  const answers = await persist(brokers, `The offsets of ${topic} cannot be looked up`, () => {
    const led = Map.groupBy(partitions, (partition) => brokers.leaderOf(topic, partition));
    const asking = [...led].map(async ([leader, own]) => {
      if (leader === null) throw new Error(`partition ${own[0]} has no leader`);
      const topics = [{ topic, partitions: own.map((partition) => ({ partition, timestamp })) }];
      return (await brokers.broker(leader)).listOffsets({ isolationLevel: 0, topics });
    });
    return Promise.all(asking);
  });
  const offsets = answers.flatMap(({ responses }) => responses.flatMap((response) => response.partitions));
  const present = offsets.filter(({ offset }) => Number(offset) !== -1);
  return new Map(present.map(({ partition, offset }) => [partition, Number(offset)]));
}

/** What a group has committed of some partitions of a topic. */
export async function committedOf(
  brokers: Brokers,
  of: { group: string; topic: string; partitions: readonly number[] },
): Promise<ReadonlyMap<number, Committed>> {
  const { group, topic } = of;
  const topics = [{ topic, partitions: of.partitions.map((partition) => ({ partition })) }];
  const answer = await persist(brokers, `What group ${group} has committed cannot be looked up`, async () => {
    const coordinator = await brokers.coordinator(group);
    return coordinator.offsetFetch({ groupId: group, topics });
  });
  const entries = answer.responses.flatMap(({ partitions }) => partitions);
  const present = entries.filter(({ offset }) => Number(offset) >= 0);
  return new Map(
    present.map(({ partition, offset, metadata }) => [
      partition,
      { offset: Number(offset), metadata: metadata ?? '' },
    ]),
  );
}

/** Asks again through changes of leader and short outages; rejects with a `LogError` when they last. */
async function persist<T>(brokers: Brokers, doing: string, ask: () => Promise<T>): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await ask();
    } catch (error) {
      const failure = toLogError(error, doing);
      const again = failure.code === 'unavailable' || failureType(error) === 'UNKNOWN_TOPIC_OR_PARTITION';
      if (!again || failures === ATTEMPTS) throw failure;
      await brokers.recover(error, failures);
    }
  }
}
