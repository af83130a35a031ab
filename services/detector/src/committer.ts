import { ENGINE, partitionFacts } from '@loopwarden/detection';
import type { LogGroup } from '@loopwarden/stream';
import { LogError } from '@loopwarden/stream';
import { writeCommitMetadata } from './commit-metadata.ts';
import type { Task } from './task.ts';

/** Commits of one task: one at a time, always the newest position, never in the way of judging. */
export interface Committer {
  /** Says that the task has come further. */
  advance(): void;
  /** Resolves when the newest position is committed, or the task is given up. */
  settled(): Promise<void>;
}

interface CommitterOptions {
  readonly topic: string;
  readonly group: LogGroup;
  /** The partition is no longer ours: nothing more may be published for it. */
  readonly refused: () => void;
  readonly done: () => void;
  readonly failed: (detail: string) => void;
}

export function committerOf(
  task: Task,
  { topic, group, refused, done, failed }: CommitterOptions,
): Committer {
  let committed = task.judged;
  let running: Promise<void> | null = null;

  async function commitNewest(): Promise<void> {
    while (committed < task.judged && !task.signal.aborted) {
      const judged = task.judged;
      const { highestEpoch } = partitionFacts(task.fold);
      const metadata = writeCommitMetadata({ lineage: task.lineage, highestEpoch, engine: ENGINE });
      try {
        await group.commit(topic, task.partition, { offset: judged + 1, metadata });
        committed = judged;
        done();
      } catch (failure) {
        failed(failure instanceof Error ? failure.message : String(failure));
        if (failure instanceof LogError && failure.code === 'fenced') refused();
        return;
      }
    }
  }

  return {
    advance() {
      running ??= commitNewest().finally(() => {
        running = null;
      });
    },
    async settled() {
      while (running !== null) await running;
      await commitNewest();
    },
  };
}
