import type { EventBase, GatewayEvent } from '@loopwarden/detection';
import type { LogWriter, OutRecord } from '@loopwarden/stream';
import { type Codec, HEADERS } from '@loopwarden/wire';
import type { Clock } from './clock.ts';
import type { DropWhy, GatewayFact } from './fact.ts';
import { type BufferBound, Outbox } from './outbox.ts';
import type { ServedRun } from './served-run.ts';

/** An event without what every event carries. */
type Own<E> = E extends GatewayEvent ? Omit<E, keyof EventBase> : never;
type OwnFields = Own<GatewayEvent>;

interface ScribeOptions {
  readonly codec: Codec;
  readonly writer: LogWriter;
  readonly bound: BufferBound;
  readonly clock: Clock;
  readonly gatewayId: string;
  /** The events topic. */
  readonly topic: string;
  /** Strict mode: every event asks for a mark. */
  readonly marked: boolean;
  /** Something that a waiting decision looks at has changed. */
  poke(partition: number): void;
  tell(fact: GatewayFact): void;
  /** The log did not take events now (a sentence), or takes them again (null). */
  trouble(detail: string | null): void;
}

/** An event on its way to the log. */
interface EventLetter {
  readonly record: OutRecord;
  readonly bytes: number;
  readonly run: ServedRun;
  readonly type: GatewayEvent['type'];
}

const MARKED = { [HEADERS.mark]: '1' };

/** Writes the events of runs. Every event takes a number, also one that is lost: readers see the gap. */
export class Scribe {
  readonly #options: ScribeOptions;
  readonly #outbox: Outbox<EventLetter>;

  constructor(options: ScribeOptions) {
    this.#options = options;
    const { writer, bound, clock, trouble } = options;
    this.#outbox = new Outbox<EventLetter>({
      writer,
      bound,
      clock,
      sent: (letter, offset) => this.#sent(letter, offset),
      lost: (letter, why) => this.#lost(letter, why),
      trouble,
    });
  }

  /** Events that wait for the log. */
  get held(): { readonly records: number; readonly bytes: number } {
    return this.#outbox.held;
  }

  /** Whether the next event would find no room. */
  get isFull(): boolean {
    return this.#outbox.isFull();
  }

  /** Writes one event; false: it is lost. */
  write(run: ServedRun, own: OwnFields): boolean {
    const { codec, clock, gatewayId, topic, marked } = this.#options;
    const { runId, agentId, sessionId, source, partition } = run;
    const now = clock.now();
    run.sequence += 1;
    run.activeAt = Math.max(run.activeAt, now);
    const event = {
      ...own,
      runId,
      agentId,
      sessionId,
      gatewayId,
      source,
      sequence: run.sequence,
      observedAt: now,
    };
    const value = encoded(codec, event as GatewayEvent);
    run.unsent += 1;
    const record = { topic, partition, key: runId, value, ...(marked ? { headers: MARKED } : {}) };
    const letter = { record, bytes: (value?.length ?? 0) + runId.length, run, type: own.type };
    if (value !== null) return this.#outbox.put(letter);
    this.#lost(letter, 'too_large');
    return false;
  }

  /** Nothing is sent any more. */
  get isClosed(): boolean {
    return this.#outbox.isClosed;
  }

  /** Resolves when everything was sent, or `over` does; then what is left is lost. */
  close(over: Promise<void>): Promise<void> {
    return this.#outbox.close(over);
  }

  /** Writes `Attach` if it is due. */
  attach(run: ServedRun): void {
    const { due } = run;
    if (due === null) return;
    run.due = null;
    run.ended = false;
    this.#options.tell({ kind: 'attached', runId: run.runId, why: due });
    this.write(run, { type: 'attach' });
  }

  #sent({ run }: EventLetter, offset: number): void {
    run.unsent -= 1;
    run.lastOffset = offset; // not the highest: a topic that was made anew begins at 0
    this.#options.poke(run.partition);
  }

  /** The detectors know less of the run than they should: the next decision tells them that it is served. */
  #lost({ run, type }: EventLetter, why: DropWhy): void {
    run.unsent -= 1;
    if (!run.ended) run.due ??= 'dropped';
    this.#options.tell({ kind: 'dropped', runId: run.runId, type, why });
    this.#options.poke(run.partition);
  }
}

/** Null: larger than a record may be. */
function encoded(codec: Codec, event: GatewayEvent): Uint8Array | null {
  try {
    return codec.encodeEvent(event);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
