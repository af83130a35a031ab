import { LogError } from '../log.ts';
import { type Brokers, pause } from './brokers.ts';
import { EXPELLED, failureType, toLogError } from './failure.ts';
import { commitOffsets } from './group-requests.ts';
import type { KafkaTimings } from './options.ts';

/** Who commits: a member of a group as it stands now, which may change while a commit is under way. */
interface CommittingMember {
  readonly brokers: Brokers;
  readonly timings: KafkaTimings;
  readonly group: string;
  readonly instance: string | null;
  readonly topic: string;
  standing(): Standing;
  /** The group went on without it; `type` is how the coordinator puts it. */
  expel(type: string): void;
}

interface Standing {
  /** Empty: none. */
  readonly memberId: string;
  readonly generation: number;
  readonly joining: boolean;
}

export interface CommitEntry {
  readonly partition: number;
  readonly offset: number;
  readonly metadata: string;
}

/**
 * Commits for the member's generation; during a rebalance again and again, until it is through. Rejects with
 * `fenced` when `owns` says no, or the coordinator does.
 */
export async function commitFor(
  member: CommittingMember,
  entry: CommitEntry,
  owns: () => boolean,
): Promise<void> {
  const { topic, group: groupId, instance: groupInstanceId, brokers, timings } = member;
  const deadline = performance.now() + timings.append;
  const topics = [{ topic, partitions: [{ ...entry, offset: String(entry.offset) }] }];
  for (let failures = 1; ; failures++) {
    const { memberId, generation: groupGenerationId } = member.standing();
    if (!owns() || memberId === '') throw fenced(entry.partition, topic);
    try {
      const coordinator = await brokers.coordinator(groupId);
      await commitOffsets(coordinator, { groupId, memberId, groupInstanceId, groupGenerationId, topics });
      return;
    } catch (error) {
      const late = performance.now() > deadline;
      const { partition } = entry;
      await survive(member, { error, generation: groupGenerationId, failures, late, partition });
    }
  }
}

interface FailedCommit {
  readonly error: unknown;
  readonly generation: number;
  readonly failures: number;
  readonly late: boolean;
  readonly partition: number;
}

/** Throws what the caller is to know, or returns to try again. */
async function survive(member: CommittingMember, failed: FailedCommit): Promise<void> {
  const { topic, brokers, timings } = member;
  const { error, partition } = failed;
  const type = failureType(error);
  const failure = toLogError(error, `Partition ${partition} of ${topic} was not committed`);
  const { generation, joining } = member.standing();
  // A join may have come in between; the commit goes again, for the new generation.
  if (EXPELLED.has(type) && failed.generation !== generation) return;
  if (type === 'REBALANCE_IN_PROGRESS' || (type === 'ILLEGAL_GENERATION' && joining)) {
    // Between the answers to join and to sync nobody can commit.
    if (failed.late) throw new LogError('unavailable', failure.message, { cause: error });
    return pause(timings.heartbeat / 10);
  }
  if (EXPELLED.has(type)) {
    member.expel(type);
    throw fenced(partition, topic);
  }
  if (failure.code !== 'unavailable' || failed.late) throw failure;
  await brokers.recover(error, failed.failures);
}

export function fenced(partition: number | null, topic: string): LogError {
  const what =
    partition === null ? `The partitions of ${topic} belong` : `Partition ${partition} of ${topic} belongs`;
  return new LogError('fenced', `${what} to another member of the group now.`);
}
