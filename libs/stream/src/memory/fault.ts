import type { Schedule } from './scheduler.ts';

/** What a process asks of the broker. */
export interface Operation {
  readonly process: string;
  readonly kind: 'append' | 'commit' | 'read' | 'group' | 'admin';
  readonly topic: string;
}

/** What goes wrong with one operation. */
export interface Fault {
  /**
   * The operation rejects with `unavailable`: `before` it did anything, `after` it happened, or `midway`,
   * with the first half of the records appended.
   */
  readonly fail?: 'before' | 'midway' | 'after';
  /** The answer waits for this. */
  readonly until?: Promise<unknown>;
}

export type Faults = (operation: Operation) => Fault | undefined;

/** What the broker side of a memory log shares with its processes. */
export interface Surroundings {
  readonly schedule: Schedule;
  readonly faults: Faults;
}
