import { type Committed, type GroupHandlers, type GroupOptions, LogError, type LogGroup } from '../log.ts';
import { OwnedPartition } from '../owned-partition.ts';
import { defaultBatchSize, type RecordSource } from '../record-source.ts';
import type { Coordinator, Member } from './coordinator.ts';
import type { Line } from './line.ts';

interface Membership {
  readonly line: Line;
  readonly source: RecordSource;
  readonly coordinator: Coordinator;
  readonly options: GroupOptions;
  readonly handlers: GroupHandlers;
}

interface Held {
  readonly epoch: number;
  readonly owned: OwnedPartition;
}

/** A process's membership of a group. */
export class GroupMember implements LogGroup, Member {
  readonly #of: Membership;
  readonly #held = new Map<number, Held>();
  /** What of a partition's earlier life has not returned yet. */
  readonly #ending = new Map<number, Promise<void>>();
  /** What the coordinator says, heard in the order it was said. */
  readonly #said: (() => void)[] = [];
  #closing: Promise<void> | undefined;

  constructor(membership: Membership) {
    this.#of = membership;
  }

  give(partition: number, epoch: number): void {
    this.#hear(() => {
      const stale = !this.#of.coordinator.owns(this, partition, epoch);
      if (!stale && this.#closing === undefined) this.#begin(partition, epoch);
    });
  }

  take(partition: number): Promise<void> {
    return new Promise((resolve) => {
      this.#hear(() => void this.#release(partition).then(() => this.#of.line.tell(resolve)));
    });
  }

  /** The group went on without this member: it hears of that, loses everything and joins again. */
  expelled(): void {
    const { line, options, coordinator } = this.#of;
    for (const partition of [...this.#held.keys()]) this.#drop(partition);
    if (this.#closing !== undefined) return;
    void line.ask('group', options.topic, () => {
      if (!coordinator.has(this)) coordinator.join(this);
    });
  }

  async commit(topic: string, partition: number, committed: Committed): Promise<void> {
    const { line, coordinator } = this.#of;
    const held = topic === this.#of.options.topic ? this.#held.get(partition) : undefined;
    if (held === undefined) {
      throw new LogError('fenced', `This member does not own partition ${partition} of ${topic}.`);
    }
    const commit = { epoch: held.epoch, committed: { ...committed } };
    try {
      await line.ask('commit', topic, () => coordinator.commit(this, partition, commit));
    } catch (error) {
      if (error instanceof LogError && error.code === 'fenced') this.#fenced(partition, held);
      throw error;
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#leave();
    return this.#closing;
  }

  async #leave(): Promise<void> {
    const { line, options, coordinator } = this.#of;
    await Promise.all([...this.#held.values()].map(({ owned }) => owned.release()));
    await Promise.all(this.#ending.values());
    this.#held.clear();
    await line.ask('group', options.topic, () => coordinator.remove(this));
  }

  #hear(task: () => void): void {
    this.#said.push(task);
    this.#of.line.tell(() => this.#said.shift()?.());
  }

  /** Commits of the batch in flight still count: the partition is held until it is through. */
  async #release(partition: number): Promise<void> {
    const held = this.#held.get(partition);
    await (held?.owned.release() ?? this.#ending.get(partition));
    if (this.#held.get(partition) === held) this.#held.delete(partition);
  }

  #begin(partition: number, epoch: number): void {
    const { line, source, coordinator, options, handlers } = this.#of;
    // Expelled and taken in again, it may never have heard that it lost the partition.
    this.#drop(partition);
    const owned = new OwnedPartition({
      topic: options.topic,
      partition,
      batchSize: options.batchSize ?? defaultBatchSize,
      source,
      handlers: whileAlive(handlers, line),
      after: this.#ending.get(partition),
      committed: () => line.ask('group', options.topic, () => coordinator.committed.get(partition) ?? null),
      pause: () => new Promise((resolve) => line.tell(resolve)),
    });
    this.#held.set(partition, { epoch, owned });
  }

  #fenced(partition: number, held: Held): void {
    if (!this.#of.coordinator.has(this)) this.expelled();
    else if (this.#held.get(partition) === held) this.#drop(partition);
  }

  #drop(partition: number): void {
    const ended = this.#held.get(partition)?.owned.drop();
    this.#held.delete(partition);
    if (ended !== undefined) this.#ending.set(partition, ended);
  }
}

/** A dead process hears nothing of its own death. */
function whileAlive(handlers: GroupHandlers, line: Line): GroupHandlers {
  return {
    assigned: (assignment) => handlers.assigned(assignment),
    batch: (batch) => handlers.batch(batch),
    lost: (partition) => {
      if (!line.crashed) handlers.lost(partition);
    },
    failed: (error) => {
      if (!line.crashed) handlers.failed(error);
    },
  };
}
