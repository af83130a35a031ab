import { LogError } from '../log.ts';
import { type Brokers, pause } from './brokers.ts';
import type { Connection } from './connection.ts';
import { failureType, toLogError } from './failure.ts';
import { join, sync } from './group-protocol.ts';
import type { Health } from './health.ts';

interface MembershipEvents {
  /** The partitions the member holds, for its claim. */
  owned(): readonly number[];
  /** A rebalance began: resolves when no batch is in flight; none begins until `assigned`. */
  quiesce(): Promise<void>;
  /** `continuous`: what was owned and is assigned again belonged to nobody else in between. */
  assigned(partitions: readonly number[], continuous: boolean): void;
  /** The group went on without this member: everything is lost. */
  expelled(): void;
  /** The group refuses this member. */
  refused(error: LogError): void;
}

interface MembershipOptions {
  readonly brokers: Brokers;
  readonly connection: Connection;
  readonly health: Health;
  readonly group: string;
  readonly topic: string;
}

const EXPELLED = new Set(['UNKNOWN_MEMBER_ID', 'ILLEGAL_GENERATION', 'FENCED_INSTANCE_ID']);
/** A member that cannot join for a reason that does not pass by itself asks again this often. */
const REFUSED_PAUSE_MS = 5_000;
const NO_GENERATION = -1;

/**
 * One member of a consumer group, in Kafka's classic protocol: join, sync, heartbeats, rebalance. It is written
 * on single requests because kafkajs' own consumer beats only between batches, forgets its positions when it
 * restarts itself, and stays dead after some errors.
 */
export class Membership {
  readonly #of: MembershipOptions;
  readonly #events: MembershipEvents;
  readonly #leaving = new AbortController();
  readonly #first = Promise.withResolvers<void>();
  #memberId = '';
  #generation = NO_GENERATION;
  #confirmedAt = Number.NEGATIVE_INFINITY;
  /** Resolved while no join is under way. */
  #settled = Promise.withResolvers<void>();
  #joining = true;
  #failures = 0;

  constructor(options: MembershipOptions, events: MembershipEvents) {
    this.#of = options;
    this.#events = events;
    this.#first.promise.catch(() => undefined);
    void this.#run();
  }

  /** Resolves with the first assignment; rejects when joining is refused or takes too long. */
  get joined(): Promise<void> {
    return this.#first.promise;
  }

  /** True while the group certainly counts this member: its last heartbeat is younger than the session. */
  get certain(): boolean {
    return performance.now() - this.#confirmedAt < this.#of.connection.timings.session;
  }

  /** Commits for the current generation. Rejects with `fenced` when `owns` says no, or the coordinator does. */
  async commit(entry: CommitEntry, owns: () => boolean): Promise<void> {
    const { topic, group, connection } = this.#of;
    const deadline = performance.now() + connection.timings.append;
    for (let failures = 1; ; failures++) {
      await this.#settled.promise;
      if (!owns()) throw fenced(entry.partition, topic);
      const generation = this.#generation;
      try {
        const coordinator = await this.#of.brokers.coordinator(group);
        const topics = [{ topic, partitions: [{ ...entry, offset: String(entry.offset) }] }];
        await coordinator.offsetCommit({ ...this.#identity(), groupGenerationId: generation, topics });
        return;
      } catch (error) {
        const late = performance.now() > deadline;
        await this.#survive({ error, generation, failures, late, partition: entry.partition });
      }
    }
  }

  /** Leaves the group, so that the others take over at once. */
  async leave(): Promise<void> {
    this.#leaving.abort();
    this.#first.reject(new LogError('closed', 'The group was left.'));
    const { brokers, group, connection, health } = this.#of;
    if (this.#memberId !== '') {
      const left = brokers
        .coordinator(group)
        .then((coordinator) => coordinator.leaveGroup(this.#identity()))
        .catch(() => undefined);
      // A coordinator that does not answer finds out when the session ends.
      await Promise.race([left, pause(connection.timings.request)]);
    }
    this.#settle();
    health.forget(this);
  }

  #settle(): void {
    this.#joining = false;
    this.#settled.resolve();
  }

  #identity(): { groupId: string; memberId: string } {
    return { groupId: this.#of.group, memberId: this.#memberId };
  }

  async #run(): Promise<void> {
    const begun = performance.now();
    while (!this.#leaving.signal.aborted) {
      try {
        await this.#join();
        await this.#beatUntilRebalance();
        await this.#prepare();
      } catch (error) {
        await this.#recover(error, performance.now() - begun);
      }
    }
  }

  async #join(): Promise<void> {
    const { brokers, group: groupId, topic, connection } = this.#of;
    if (!this.#joining) this.#settled = Promise.withResolvers();
    this.#joining = true;
    const before = { memberId: this.#memberId, generation: this.#generation };
    const coordinator = await brokers.coordinator(groupId);
    const claim = { generation: before.generation, owned: this.#events.owned(), timings: connection.timings };
    const joined = await join(coordinator, { groupId, memberId: before.memberId, topic }, claim);
    this.#memberId = joined.memberId;
    const count = await brokers.partitions(topic);
    const sentAt = performance.now();
    const partitions = await sync(coordinator, { groupId, topic, joined, count });
    if (this.#leaving.signal.aborted) return;
    this.#confirmed(sentAt);
    this.#generation = joined.generation;
    // A generation that this member missed may have given its partitions to others for a while.
    const continuous = joined.memberId === before.memberId && joined.generation === before.generation + 1;
    this.#events.assigned(partitions, continuous);
    this.#settle();
    this.#first.resolve();
  }

  async #beatUntilRebalance(): Promise<void> {
    while (!this.#leaving.signal.aborted) {
      await pause(this.#of.connection.timings.heartbeat);
      if ((await this.#beat()) === 'rebalance') return;
    }
  }

  /** Goes on beating while the batches in flight come to their end, for as long as the group may be kept waiting. */
  async #prepare(): Promise<void> {
    const { timings } = this.#of.connection;
    const deadline = performance.now() + timings.rebalance / 2;
    let quiet = false;
    const quiesced = this.#events.quiesce().then(() => {
      quiet = true;
    });
    while (!quiet && performance.now() < deadline && !this.#leaving.signal.aborted) {
      await Promise.race([quiesced, pause(timings.heartbeat)]);
      if (!quiet) await this.#beat();
    }
  }

  /** One heartbeat. Throws when the group went on without this member; outages are waited out. */
  async #beat(): Promise<'stable' | 'rebalance'> {
    const { brokers, group } = this.#of;
    if (this.#leaving.signal.aborted) return 'stable';
    if (this.#memberId === '') throw fenced(null, this.#of.topic);
    const sentAt = performance.now();
    try {
      const coordinator = await brokers.coordinator(group);
      await coordinator.heartbeat({ ...this.#identity(), groupGenerationId: this.#generation });
      this.#confirmed(sentAt);
      return 'stable';
    } catch (error) {
      const type = failureType(error);
      if (type === 'REBALANCE_IN_PROGRESS') {
        this.#confirmed(sentAt);
        return 'rebalance';
      }
      if (EXPELLED.has(type)) throw error;
      await this.#wait(error);
      return 'stable';
    }
  }

  #confirmed(sentAt: number): void {
    this.#confirmedAt = sentAt;
    this.#failures = 0;
    this.#of.health.clear(this);
  }

  async #wait(error: unknown): Promise<void> {
    this.#failures += 1;
    const { brokers, health, group } = this.#of;
    health.report(this, toLogError(error, `Group ${group} cannot be reached`).message);
    await brokers.recover(error, this.#failures);
  }

  async #recover(error: unknown, elapsed: number): Promise<void> {
    const { group, connection, health } = this.#of;
    if (this.#leaving.signal.aborted) return;
    const type = failureType(error);
    const failure = toLogError(error, `Group ${group} cannot be joined`);
    if (EXPELLED.has(type) || failure.code === 'fenced') return this.#expel();
    if (type === 'REBALANCE_IN_PROGRESS') return;
    if (failure.code === 'refused') {
      health.report(this, failure.message, true);
      this.#first.reject(failure);
      this.#events.refused(failure);
      return pause(REFUSED_PAUSE_MS);
    }
    if (elapsed > connection.timings.append) this.#first.reject(failure);
    await this.#wait(error);
  }

  #expel(): void {
    this.#memberId = '';
    this.#generation = NO_GENERATION;
    this.#confirmedAt = Number.NEGATIVE_INFINITY;
    this.#events.expelled();
    this.#settle();
  }

  /** Decides on a commit that failed: throws what the caller is to know, or returns to try again. */
  async #survive(failed: FailedCommit): Promise<void> {
    const { topic, brokers } = this.#of;
    const { error, partition } = failed;
    const type = failureType(error);
    const failure = toLogError(error, `Partition ${partition} of ${topic} was not committed`);
    if (EXPELLED.has(type)) {
      // A join may have come in between; the commit goes again, for the new generation.
      if (failed.generation !== this.#generation) return;
      this.#expel();
      throw fenced(partition, topic);
    }
    if (failure.code !== 'unavailable' || failed.late) throw failure;
    if (type === 'REBALANCE_IN_PROGRESS') return pause(this.#of.connection.timings.heartbeat / 10);
    await brokers.recover(error, failed.failures);
  }
}

interface CommitEntry {
  readonly partition: number;
  readonly offset: number;
  readonly metadata: string;
}

interface FailedCommit {
  readonly error: unknown;
  readonly generation: number;
  readonly failures: number;
  readonly late: boolean;
  readonly partition: number;
}

export function fenced(partition: number | null, topic: string): LogError {
  const what =
    partition === null ? `The partitions of ${topic} belong` : `Partition ${partition} of ${topic} belongs`;
  return new LogError('fenced', `${what} to another member of the group now.`);
}
