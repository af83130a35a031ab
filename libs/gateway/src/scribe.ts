import type { EventBase, GatewayEvent } from '@loopwarden/detection';
import { type Codec, HEADERS } from '@loopwarden/wire';
import type { Clock } from './clock.ts';
import type { DropWhy, GatewayFact } from './fact.ts';
import type { Outbox } from './outbox.ts';
import type { ServedRun } from './served-run.ts';

/** An event without what every event carries. */
type Own<E> = E extends GatewayEvent ? Omit<E, keyof EventBase> : never;
type OwnFields = Own<GatewayEvent>;

interface ScribeOptions {
  readonly codec: Codec;
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly gatewayId: string;
  /** The events topic. */
  readonly topic: string;
  /** Strict mode: every event asks for a mark. */
  readonly marked: boolean;
  /** Something that a waiting decision looks at has changed. */
  poke(partition: number): void;
  tell(fact: GatewayFact): void;
}

const MARKED = { [HEADERS.mark]: '1' };

/** Writes the events of runs. Every event takes a number, also one that is lost: readers see the gap. */
export class Scribe {
  readonly #options: ScribeOptions;

  constructor(options: ScribeOptions) {
    this.#options = options;
  }

  /** Whether the next event would find no room. */
  get isFull(): boolean {
    return this.#options.outbox.isFull();
  }

  /** Writes one event; false: it is lost. */
  write(run: ServedRun, own: OwnFields): boolean {
    const { codec, outbox, clock, gatewayId, topic, marked } = this.#options;
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
    if (value === null) {
      this.#lost(run, own.type, 'too_large');
      return false;
    }
    run.unsent += 1;
    return outbox.put({
      record: { topic, partition, key: runId, value, ...(marked ? { headers: MARKED } : {}) },
      bytes: value.length + runId.length,
      sent: (offset) => this.#sent(run, offset),
      lost: (why) => {
        run.unsent -= 1;
        this.#lost(run, own.type, why);
      },
    });
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

  #sent(run: ServedRun, offset: number): void {
    run.unsent -= 1;
    run.lastOffset = Math.max(run.lastOffset, offset);
    this.#options.poke(run.partition);
  }

  /** The detectors know less of the run than they should: the next decision tells them that it is served. */
  #lost(run: ServedRun, type: GatewayEvent['type'], why: DropWhy): void {
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
