import type { Ref } from '@loopwarden/detection';
import { CallBook } from './call-book.ts';
import type { AttachWhy } from './fact.ts';

/** Who a run is. */
export interface RunIdentity {
  readonly runId: string;
  readonly agentId: string | null;
  readonly sessionId: string | null;
}

/** What a gateway keeps of a run that it serves, standings apart. */
export class ServedRun {
  readonly runId: string;
  readonly partition: number;
  /** The producer's name in the events of this run. */
  readonly source: string;
  /** As the host last named them. */
  agentId: string | null = null;
  sessionId: string | null = null;
  /** Of the last event written. */
  sequence = 0;
  /** Events on their way to the log. */
  unsent = 0;
  /** Offset of the last event that the log has taken; −1: none. */
  lastOffset = -1;
  /** Why `Attach` is to be written before the next decision; null: it is not. */
  due: AttachWhy | null = 'first';
  /** The run's end was written and nothing opened it again. */
  ended = false;
  /** When it was last active, epoch milliseconds: own event, or the time of a verdict. */
  activeAt: number;
  /** The newest verdict heard. */
  seen: Ref | null = null;
  /** Decisions are serial: the next waits for this. */
  turn: Promise<unknown> = Promise.resolve();
  readonly calls = new CallBook();
  controller = new AbortController();
  #named = 0;

  constructor(runId: string, { partition, source, now }: { partition: number; source: string; now: number }) {
    this.runId = runId;
    this.partition = partition;
    this.source = source;
    this.activeAt = now;
  }

  /** An id for a call whose host has none. */
  nameCall(): string {
    this.#named += 1;
    return `${this.source}/${this.#named}`;
  }
}
