import { ENGINE, partitionFacts } from '@loopwarden/detection';
import type { LogGroup } from '@loopwarden/stream';
import { LogError } from '@loopwarden/stream';
import { writeCommitMetadata } from './commit-metadata.ts';
import type { Task } from './task.ts';
import type { Time } from './time.ts';

/** Between two commits of a partition: each costs the brokers a write, and what is not committed is only judged again. */
const PAUSE_MS = 250;

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
  readonly time: Time;
  /** The partition is no longer ours: nothing more may be published for it. */
  readonly refused: () => void;
  readonly done: () => void;
  readonly failed: (detail: string) => void;
}

export function committerOf(
  task: Task,
  { topic, group, time, refused, done, failed }: CommitterOptions,
): Committer {
  let committed = task.judged;
  let running: Promise<void> | null = null;
  const hurry = new AbortController();
  const pauseSignal = AbortSignal.any([task.signal, hurry.signal]);

  async function commitNewest(): Promise<void> {
    while (committed < task.judged && !task.signal.aborted) {
      const judged = task.judged;
      const { highestEpoch } = partitionFacts(task.fold);
      const metadata = writeCommitMetadata({ lineage: task.lineage, highestEpoch, engine: ENGINE });
      try {
        await group.commit(topic, task.partition, { offset: judged + 1, metadata });
        committed = judged;
        done();
        // Ended early when the task is given up or settles: the loop looks again.
        if (!pauseSignal.aborted) await time.pause(PAUSE_MS, pauseSignal).catch(() => undefined);
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
      hurry.abort();
      while (running !== null) await running;
      await commitNewest();
    },
  };
}
