import type { PartitionRange } from '@loopwarden/stream';
import type { OpenedLog } from '../open-log.ts';
import { topicNamed } from '../topic-names.ts';
import { type Outcome, refuse, succeed } from '../user-error.ts';

/** Which records a command is asked for. */
interface RecordChoice {
  /** With or without its prefix. */
  readonly topic: string;
  /** A number; undefined: all. */
  readonly partition: string | undefined;
}

interface ChosenPartitions {
  readonly topic: string;
  readonly ranges: readonly PartitionRange[];
}

/** The partitions that are meant, with their offsets. */
export async function choosePartitions(
  { log, topics }: OpenedLog,
  { topic: name, partition }: RecordChoice,
): Promise<Outcome<ChosenPartitions>> {
  const topic = topicNamed(topics, name);
  if (topic === undefined) {
    return refuse('no_topic', `There is no topic "${name}". There are ${Object.values(topics).join(', ')}.`);
  }
  const ranges = await log.reader.ranges(topic);
  if (partition === undefined) return succeed({ topic, ranges });
  const chosen = ranges.filter((range) => String(range.partition) === partition);
  return chosen.length > 0
    ? succeed({ topic, ranges: chosen })
    : refuse('no_partition', `${topic} has no partition ${partition}; it has 0 to ${ranges.length - 1}.`);
}
