import type { Assignment, GroupHandlers, LogError } from '../log.ts';
import type { Batch } from '../record.ts';
import { textOf } from './driver.ts';

/** A group member that writes down everything it hears; a promise changes what it does. */
export interface RecordingMember {
  readonly handlers: GroupHandlers;
  readonly assigned: Assignment[];
  readonly lost: number[];
  /** `partition:text` of every record, in the order of delivery. */
  readonly heard: string[];
  readonly batches: Batch[];
  readonly failures: LogError[];
  /** The partitions that are this member's now. */
  owned(): readonly number[];
}

export function recordingMember(overrides: Partial<GroupHandlers> = {}): RecordingMember {
  const member = {
    assigned: [] as Assignment[],
    lost: [] as number[],
    heard: [] as string[],
    batches: [] as Batch[],
    failures: [] as LogError[],
  };
  const owned = new Set<number>();
  const handlers: GroupHandlers = {
    async assigned(assignment) {
      member.assigned.push(assignment);
      owned.add(assignment.partition);
      return overrides.assigned === undefined
        ? (assignment.committed?.offset ?? 0)
        : overrides.assigned(assignment);
    },
    lost(partition) {
      member.lost.push(partition.partition);
      owned.delete(partition.partition);
      overrides.lost?.(partition);
    },
    async batch(batch) {
      member.batches.push(batch);
      member.heard.push(...batch.records.map((record) => `${batch.partition}:${textOf(record)}`));
      await overrides.batch?.(batch);
    },
    failed(error) {
      member.failures.push(error);
      overrides.failed?.(error);
    },
  };
  return { ...member, handlers, owned: () => [...owned].sort((one, other) => one - other) };
}

/** A promise with its handles. */
interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

export function gate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: () => resolve() };
}
