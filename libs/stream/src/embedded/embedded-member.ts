import { setTimeout as sleep } from 'node:timers/promises';
import { type Committed, type GroupHandlers, type GroupOptions, LogError, type LogGroup } from '../log.ts';
import { OwnedPartition } from '../owned-partition.ts';
import { defaultBatchSize, type RecordSource } from '../record-source.ts';
import type { Lease } from './lease.ts';

/** How often a member that waits looks whether the lease is free. */
const lookMs = 100;
/** The longest pause before a partition whose handler rejected is assigned anew. */
const maxPauseMs = 5000;

interface EmbeddedMembership {
  readonly options: GroupOptions;
  readonly handlers: GroupHandlers;
  readonly lease: Lease;
  readonly leaseMs: number;
  /** Lane numbers by partition. */
  readonly lanes: readonly number[];
  readonly source: RecordSource;
}

/**
 * A member of a group on one machine: whoever holds the lease owns every partition, the others wait and take
 * over when it leaves or stops renewing.
 */
export class EmbeddedMember implements LogGroup {
  readonly #of: EmbeddedMembership;
  readonly #leaving = new AbortController();
  readonly #running: Promise<void>;
  /** What this member owns, by partition; empty while it waits. */
  #owned: readonly OwnedPartition[] = [];
  #lost = new AbortController();

  constructor(membership: EmbeddedMembership) {
    this.#of = membership;
    this.#running = this.#run();
  }

  async commit(topic: string, partition: number, committed: Committed): Promise<void> {
    const { options, lease, lanes } = this.#of;
    const lane = lanes[partition];
    if (topic !== options.topic || lane === undefined || this.#owned.length === 0) {
      throw new LogError('fenced', `This member does not own partition ${partition} of ${topic}.`);
    }
    try {
      await lease.commit(lane, committed);
    } catch (error) {
      if (error instanceof LogError && error.code === 'fenced') this.#lost.abort();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#leaving.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const left = this.#leaving.signal;
    while (!left.aborted) {
      if (await this.#acquired()) await this.#own();
      else await pause(lookMs, left);
    }
  }

  async #acquired(): Promise<boolean> {
    try {
      return await this.#of.lease.acquire();
    } catch (error) {
      this.#report(error);
      return false;
    }
  }

  /** Owns every partition until the lease is lost or the member leaves. */
  async #own(): Promise<void> {
    const { lanes, lease } = this.#of;
    this.#lost = new AbortController();
    const owned = lanes.map((_, partition) => this.#begin(partition));
    this.#owned = owned;
    const ended = new AbortController();
    const renewing = this.#keepRenewing(ended.signal);
    await aborted(AbortSignal.any([this.#lost.signal, this.#leaving.signal]));
    const over = Promise.all(owned.map((one) => (this.#lost.signal.aborted ? one.drop() : one.release())));
    // While batches in flight come to their end the lease is still renewed, and may still be lost.
    this.#lost.signal.addEventListener('abort', () => owned.forEach((one) => void one.drop()));
    await over;
    this.#owned = [];
    ended.abort();
    await renewing;
    await lease.release().catch((error: unknown) => this.#report(error));
  }

  #begin(partition: number): OwnedPartition {
    const { options, handlers, lease, lanes, source } = this.#of;
    return new OwnedPartition({
      topic: options.topic,
      partition,
      batchSize: options.batchSize ?? defaultBatchSize,
      source: {
        range: (topic, at) => source.range(topic, at),
        offsetAt: (topic, at, timestamp) => source.offsetAt(topic, at, timestamp),
        grown: (topic, at, from) => source.grown(topic, at, from),
        // A process that was suspended asks first whether the partition is still its own.
        slice: async (topic, at, from) => {
          if (lease.overdue) await this.#renew();
          return source.slice(topic, at, from);
        },
      },
      handlers,
      committed: async () => lease.committed(lanes[partition] as number),
      pause: (failures, signal) => pause(Math.min(maxPauseMs, 50 * 2 ** failures), signal),
    });
  }

  async #keepRenewing(ended: AbortSignal): Promise<void> {
    while (!ended.aborted) {
      await pause(this.#of.leaseMs / 3, ended);
      if (!ended.aborted) await this.#renew();
    }
  }

  /** A lease that could not be renewed may still be this member's: nobody else could write either. */
  async #renew(): Promise<void> {
    try {
      if (!(await this.#of.lease.renew())) this.#lost.abort();
    } catch (error) {
      this.#report(error);
    }
  }

  #report(error: unknown): void {
    if (!(error instanceof LogError)) throw error;
    this.#of.handlers.failed(error);
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  // An aborted pause is a pause that is over.
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
