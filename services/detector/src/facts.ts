import type { Note, Verdict } from '@loopwarden/detection';

/** Where a record of the events topic stands. */
export interface Place {
  readonly partition: number;
  readonly offset: number;
}

/**
 * What the walk reports to whoever runs it: plain functions, bound to logger and counters by the composition
 * root and to arrays by tests.
 */
export interface Facts {
  /** One event was judged; `type` is the event's. */
  event(type: string): void;
  note(note: Note, place: Place): void;
  verdict(verdict: Verdict, place: Place): void;
  /** A record became a dead letter. */
  deadLetter(code: string, detail: string, place: Place): void;
  /** A verdict is acknowledged; record time of its trigger to record time of the verdict. */
  delay(milliseconds: number): void;
  /** A partition's position after a batch. */
  progress(progress: { partition: number; judged: number; end: number; liveRuns: number }): void;
  assigned(partition: number): void;
  lost(partition: number): void;
  /** A partition is ready to judge. `from` is where the fold began, `newLineage` why one began. */
  restored(restored: Restored): void;
  /** A partition waits for something that cannot be reached; null: it goes on. */
  waiting(partition: number, detail: string | null): void;
  committed(partition: number): void;
  /** A snapshot of the state is whole. */
  saved(saved: { partition: number; covered: number; bytes: number }): void;
  /** A snapshot could not be written; the next one is tried later. */
  stateFailed(partition: number, detail: string): void;
  /** A commit was refused or failed; a refused one gives the partition up. */
  commitFailed(partition: number, detail: string): void;
  /** The log driver met trouble. */
  logFailed(detail: string): void;
  /** Another process runs under this one's instance: this one judges nothing any more. */
  replaced(detail: string): void;
}

export interface Restored {
  readonly partition: number;
  /** Where the fold began: at the offset that loaded state covers, else where events were read from. */
  readonly from: number;
  readonly to: number;
  readonly loaded: boolean;
  /** What saved state was left unread; null: none. */
  readonly unread: string | null;
  readonly lineage: number;
  readonly newLineage: string | null;
  /** Of the policy in force; below 0: none was applied. */
  readonly revision: number;
  readonly liveRuns: number;
}

const nothing = (): void => {};

/** Reports nothing: for folds whose output was published before. */
export const SILENT: Facts = {
  event: nothing,
  note: nothing,
  verdict: nothing,
  deadLetter: nothing,
  delay: nothing,
  progress: nothing,
  assigned: nothing,
  lost: nothing,
  restored: nothing,
  waiting: nothing,
  committed: nothing,
  saved: nothing,
  stateFailed: nothing,
  commitFailed: nothing,
  logFailed: nothing,
  replaced: nothing,
};
