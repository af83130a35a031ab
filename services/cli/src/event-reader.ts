import { hash } from 'node:crypto';
import {
  type Hash,
  type Policy,
  type PolicyApplied,
  type RunEvent,
  readPublicEvent,
} from '@loopwarden/detection';
import type { PublicEvent } from './transcript/public-event.ts';
import { type Outcome, refuse, succeed } from './user-error.ts';

/** SHA-256 in hexadecimal. */
const sha256: Hash = (text) => hash('sha256', text, 'hex');

/** Under which events that name no source are numbered. */
const SOURCE = 'recording';

/** Time between events that name none, milliseconds. */
const STEP_MS = 1;

interface TimedEvent {
  readonly event: RunEvent | PolicyApplied;
  /** Epoch milliseconds. */
  readonly at: number;
  /** The event names no time: `at` only keeps the order. */
  readonly untimed: boolean;
}

/** Reads recorded events, giving those that say nothing of it a source, a sequence and a time. */
export class EventReader {
  readonly #sequences = new Map<string, number>();
  #at = 0;

  /** @param revision what a policy event becomes, unless it says so itself */
  read(
    recorded: PublicEvent,
    { policy, revision }: { policy: Policy; revision: number },
  ): Outcome<TimedEvent> {
    const { runId = '' } = recorded;
    const numbered = recorded.sequence === undefined;
    const sequence = (this.#sequences.get(runId) ?? 0) + 1;
    const read = readPublicEvent(recorded, {
      hash: sha256,
      profiles: policy.profiles,
      keyId: null,
      defaults: {
        source: SOURCE,
        sequence: recorded.type === 'policy' ? revision : sequence,
        gatewayId: SOURCE,
        observedAt: this.#at,
      },
    });
    if (!read.ok) return refuse(read.code, read.detail);
    const { event } = read;
    if (numbered && recorded.type !== 'policy') this.#sequences.set(runId, sequence);
    this.#at = read.at ?? this.#at + STEP_MS;
    return succeed({ event, at: this.#at, untimed: read.at === null });
  }

  /** Forgets the numbering of a run of which nothing more is expected. */
  forget(runId: string): void {
    this.#sequences.delete(runId);
  }
}
