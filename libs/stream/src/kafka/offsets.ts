import type { Committed, PartitionRange } from '../log.ts';
import { refuseUnknown } from '../record-bytes.ts';
import type { Brokers } from './brokers.ts';
import { failureType, toLogError } from './failure.ts';

const EARLIEST = -2;
const LATEST = -1;
const ATTEMPTS = 8;

/** First present offset and end of a partition. */
export async function rangeOf(brokers: Brokers, topic: string, partition: number): Promise<PartitionRange> {
  const [start, end] = await Promise.all([
    offsetAt(brokers, { topic, partition, timestamp: EARLIEST }),
    offsetAt(brokers, { topic, partition, timestamp: LATEST }),
  ]);
  return { partition, start: start ?? 0, end: end ?? 0 };
}

/** The first offset at or after a timestamp (epoch milliseconds); the end where there is none. */
export async function offsetSince(
  brokers: Brokers,
  at: { topic: string; partition: number; timestamp: number },
): Promise<number> {
  return (await offsetAt(brokers, at)) ?? (await rangeOf(brokers, at.topic, at.partition)).end;
}

/** Asks the partition's leader; null: there is no such offset. */
async function offsetAt(
  brokers: Brokers,
  at: { topic: string; partition: number; timestamp: number },
): Promise<number | null> {
  const { topic, partition, timestamp } = at;
  refuseUnknown(topic, partition, await brokers.partitions(topic));
  const topics = [{ topic, partitions: [{ partition, timestamp }] }];
  const answer = await persist(brokers, `The offsets of ${topic} cannot be looked up`, async () => {
    const leader = brokers.leaderOf(topic, partition);
    if (leader === null) throw new Error(`partition ${partition} has no leader`);
    return (await brokers.broker(leader)).listOffsets({ isolationLevel: 0, topics });
  });
  const offset = Number(answer.responses[0]?.partitions[0]?.offset ?? -1);
  return offset === -1 ? null : offset;
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
