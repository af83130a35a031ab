import { LogError } from '../log.ts';
import { type Brokers, pause, within } from './brokers.ts';
import type { Connection } from './connection.ts';
import { EXPELLED, failureType, REPLACED, toLogError } from './failure.ts';
import { type CommitEntry, commitFor, fenced } from './group-commit.ts';
import { join, sync } from './group-protocol.ts';
import { heartbeat, leaveGroup, type MemberIdentity } from './group-requests.ts';
import type { Health } from './health.ts';

interface MembershipEvents {
  /** The partitions the member holds, for its claim. */
  owned(): readonly number[];
  /** What is this member's now. Resolves when everything else was given up. */
  assigned(partitions: readonly number[]): Promise<void>;
  /** The group went on without this member: everything is lost. Resolves when the last handlers have ended. */
  expelled(): Promise<void>;
  /** The group refuses this member, for now or, with `replaced`, for good. */
  refused(error: LogError): void;
}

interface MembershipOptions {
  readonly brokers: Brokers;
  /** For joining alone: a broker answers the requests of one connection in their order. */
  readonly entrance: Brokers;
  readonly connection: Connection;
  readonly health: Health;
  readonly group: string;
  /** A process that joins under the instance of an earlier one takes its place; null: none. */
  readonly instance: string | null;
  readonly topic: string;
}

/** A member that cannot join for a reason that does not pass by itself asks again this often. */
const REFUSED_PAUSE_MS = 5_000;
const NO_GENERATION = -1;
/** What changes hands is first given up: a second rebalance follows the first, and is looked out for. */
const LOOKS_PER_HEARTBEAT = 10;

/** What a finished rebalance gave to this member. */
interface Share {
  readonly memberId: string;
  readonly generation: number;
  readonly partitions: readonly number[];
  /** How many partitions the topic has, as far as this member knows. */
  readonly count: number;
  /** When the member was last heard of. */
  readonly sentAt: number;
}

/**
 * One member of a consumer group, in Kafka's classic protocol: join, sync, heartbeats, rebalance. Rebalances are
 * cooperative: the member goes on with what it holds while it joins, which may take as long as a dead member is
 * missed; what it is not assigned any more it gives up after the batch in flight, and joins again to say so.
 * It is written on single requests because kafkajs' own consumer beats only between batches, forgets its
 * positions when it restarts itself, stays dead after some errors, and stops while it joins.
 */
export class Membership {
  readonly #of: MembershipOptions;
  readonly #events: MembershipEvents;
  readonly #leaving = new AbortController();
  readonly #first = Promise.withResolvers<void>();
  #memberId = '';
  #generation = NO_GENERATION;
  /** The generation of the last assignment to this member: what is held is held from then on. */
  #assignedIn = NO_GENERATION;
  #assignedAt = Number.NEGATIVE_INFINITY;
  #confirmedAt = Number.NEGATIVE_INFINITY;
  #joining = true;
  /** Partitions of the topic when this member last joined: more are nobody's before all join anew. */
  #count = 0;
  /** Resolves when what was taken away is given up, and the group is to hear of it; null: nothing was. */
  #givenUp: Promise<void> | null = null;
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

  /** Rejects with `fenced` when `owns` says no, or the coordinator does. */
  async commit(entry: CommitEntry, owns: () => boolean): Promise<void> {
    const { brokers, group, instance, topic, connection } = this.#of;
    const standing = () => ({
      memberId: this.#memberId,
      generation: this.#generation,
      joining: this.#joining,
    });
    const { timings } = connection;
    const expel = (type: string) => void (type === REPLACED ? this.#replaced() : this.#expel());
    await commitFor({ brokers, timings, group, instance, topic, standing, expel }, entry, owns);
  }

  /** Leaves the group, so that the others take over at once. */
  async leave(): Promise<void> {
    this.#leaving.abort();
    this.#first.reject(new LogError('closed', 'The group was left.'));
    const { brokers, group, connection, health } = this.#of;
    if (this.#memberId !== '') {
      const left = brokers
        .coordinator(group)
        .then((coordinator) => leaveGroup(coordinator, this.#identity()))
        .catch(() => undefined);
      // A coordinator that does not answer finds out when the session ends.
      await within(connection.timings.request, left);
    }
    health.forget(this);
  }

  #identity(): MemberIdentity {
    const { group, instance } = this.#of;
    return { groupId: group, memberId: this.#memberId, groupInstanceId: instance };
  }

  async #run(): Promise<void> {
    const begun = performance.now();
    while (!this.#leaving.signal.aborted) {
      try {
        await this.#join();
        await this.#beatUntilRebalance();
      } catch (error) {
        await this.#recover(error, performance.now() - begun);
      }
    }
  }

  async #join(): Promise<void> {
    const { topic, instance } = this.#of;
    this.#joining = true;
    const owned = this.#events.owned();
    const share = await this.#whileBeating(this.#ask(owned));
    const { memberId, generation, partitions, sentAt } = share;
    if (this.#leaving.signal.aborted) return;
    // A commit may have found out that the group went on without this member.
    if (memberId !== this.#memberId) throw fenced(null, topic);
    this.#confirmed(sentAt);
    // Who takes an earlier one's place is given what that one was, and the others hear nothing: what it held beside
    // that, or was about to say, would be nobody's. One more rebalance settles it.
    const unheard = instance !== null && this.#assignedIn === NO_GENERATION;
    this.#assignedIn = generation;
    this.#count = share.count;
    this.#assignedAt = performance.now();
    this.#joining = false;
    const givenUp = this.#events.assigned(partitions);
    const moves = owned.some((partition) => !partitions.includes(partition));
    this.#givenUp = moves || unheard ? givenUp : null;
    this.#first.resolve();
  }

  /** Asks for a share. The answer waits until every member has asked, and dead ones were missed for long enough. */
  async #ask(owned: readonly number[]): Promise<Share> {
    const { brokers, entrance, group: groupId, topic, connection } = this.#of;
    const applicant = { ...this.#identity(), topic };
    await entrance.partitions(topic);
    const coordinator = await entrance.coordinator(groupId);
    const claim = { generation: this.#assignedIn, owned, timings: connection.timings };
    const joined = await join(coordinator, applicant, claim);
    if (this.#memberId !== applicant.memberId) throw fenced(null, topic);
    this.#memberId = joined.memberId;
    this.#generation = joined.generation;
    const count = await brokers.partitions(topic);
    const sentAt = performance.now();
    const partitions = await sync(coordinator, applicant, { joined, count });
    return { memberId: joined.memberId, generation: joined.generation, partitions, count, sentAt };
  }

  /** Goes on beating: a member that waits for others would not hear else that it was cut off. */
  async #whileBeating<T>(work: Promise<T>): Promise<T> {
    const over = new AbortController();
    try {
      return await Promise.race([work, this.#beatUntil(over.signal)]);
    } finally {
      over.abort();
    }
  }

  async #beatUntil(over: AbortSignal): Promise<never> {
    while (true) {
      await pause(this.#of.connection.timings.heartbeat);
      if (over.aborted || this.#leaving.signal.aborted) return new Promise<never>(() => undefined);
      if (this.#memberId !== '') await this.#beat();
    }
  }

  async #beatUntilRebalance(): Promise<void> {
    const { heartbeat } = this.#of.connection.timings;
    let free = false;
    const givenUp = this.#givenUp?.then(() => {
      free = true;
    });
    while (!this.#leaving.signal.aborted) {
      const lately = performance.now() - this.#assignedAt < heartbeat;
      const ms = lately ? heartbeat / LOOKS_PER_HEARTBEAT : heartbeat;
      await (givenUp === undefined ? pause(ms) : within(ms, givenUp));
      if (free || (await this.#beat()) === 'rebalance' || (await this.#hasGrown())) return;
    }
  }

  /** Of all members that ask then, it is the one that shares out whom the group follows. */
  async #hasGrown(): Promise<boolean> {
    return (await this.#of.brokers.partitions(this.#of.topic)) > this.#count;
  }

  /** One heartbeat. Throws when the group went on without this member; outages are waited out. */
  async #beat(): Promise<'stable' | 'rebalance'> {
    const { brokers, group } = this.#of;
    if (this.#leaving.signal.aborted) return 'stable';
    if (this.#memberId === '') throw fenced(null, this.#of.topic);
    const sentAt = performance.now();
    try {
      const coordinator = await brokers.coordinator(group);
      await heartbeat(coordinator, { ...this.#identity(), groupGenerationId: this.#generation });
      this.#confirmed(sentAt);
      return 'stable';
    } catch (error) {
      const type = failureType(error);
      if (type === 'REBALANCE_IN_PROGRESS') {
        this.#confirmed(sentAt);
        return 'rebalance';
      }
      // The answer to the join is on its way.
      if (type === 'ILLEGAL_GENERATION' && this.#joining) return 'rebalance';
      if (EXPELLED.has(type)) throw error;
      await this.#wait(error, brokers);
      return 'stable';
    }
  }

  #confirmed(sentAt: number): void {
    this.#confirmedAt = sentAt;
    this.#failures = 0;
    this.#of.health.clear(this);
  }

  async #wait(error: unknown, brokers: Brokers): Promise<void> {
    this.#failures += 1;
    const { health, group } = this.#of;
    health.report(this, toLogError(error, `Group ${group} cannot be reached`).message);
    await brokers.recover(error, this.#failures);
  }

  async #recover(error: unknown, elapsed: number): Promise<void> {
    const { group, connection, health, entrance } = this.#of;
    if (this.#leaving.signal.aborted) return;
    const type = failureType(error);
    if (type === REPLACED) return this.#replaced();
    const failure = toLogError(error, `Group ${group} cannot be joined`);
    if (EXPELLED.has(type) || failure.code === 'fenced') {
      // What it still works on would be given to it again, and wait for that work.
      return within(connection.timings.rebalance / 2, this.#expel());
    }
    if (type === 'REBALANCE_IN_PROGRESS') return;
    if (failure.code === 'refused') {
      health.report(this, failure.message, true);
      this.#first.reject(failure);
      this.#events.refused(failure);
      return pause(REFUSED_PAUSE_MS);
    }
    if (elapsed > connection.timings.append) this.#first.reject(failure);
    await this.#wait(error, entrance);
  }

  /** Ends the membership: a member that joined again would take the place back, and so on for ever. */
  #replaced(): Promise<void> {
    const { group, instance, health } = this.#of;
    if (this.#leaving.signal.aborted) return Promise.resolve();
    this.#leaving.abort();
    const failure = new LogError(
      'replaced',
      `Another process joined group ${group} as instance ${instance}, and this one gets nothing any more. Give each running replica an instance of its own, then start this one again.`,
    );
    health.forget(this);
    this.#first.reject(failure);
    this.#events.refused(failure);
    return this.#expel();
  }

  #expel(): Promise<void> {
    this.#memberId = '';
    this.#generation = NO_GENERATION;
    this.#assignedIn = NO_GENERATION;
    this.#confirmedAt = Number.NEGATIVE_INFINITY;
    return this.#events.expelled();
  }
}
