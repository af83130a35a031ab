import type { Broker, RequestDefinition } from 'kafkajs/src/cluster/index.js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LogError } from '../log.ts';
import { decodeSubscription, encodeAssignment } from './assignment-protocol.ts';
import type { Brokers } from './brokers.ts';
import type { Connection } from './connection.ts';
import type { JoinAnswer, JoinRequest, MemberIdentity } from './group-requests.ts';
import { Health } from './health.ts';
import { Membership } from './membership.ts';
import { defaultTimings } from './options.ts';
import { decodeClaim } from './sticky.ts';

const TOPIC = 'events';
const { heartbeat, session } = defaultTimings;
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

function refusal(type: string): Error {
  return Object.assign(new Error(`about ${type}`), { name: 'KafkaJSProtocolError', type });
}

/** A request that the test answers. */
interface Question<Request, Answer> {
  readonly request: Request;
  answer(value: Answer): void;
  refuse(type: string): void;
}

/** The coordinator's side of one member's membership: what it is asked waits for the test. */
class Coordinator {
  readonly joins: Question<JoinRequest, JoinAnswer>[] = [];
  readonly syncs: Question<unknown, { memberAssignment: Buffer }>[] = [];
  readonly commits: number[] = [];
  readonly leavers: MemberIdentity[] = [];
  /** The instance that each request named. */
  readonly named = new Set<string | null>();
  /** Heartbeats and commits of another one are refused. */
  generation = 0;
  /** Of the topic. */
  partitions = 4;
  /** What heartbeats and commits are refused with otherwise; null: taken. */
  refusesBeats: string | null = null;
  refusesCommits: string | null = null;

  get broker(): Broker {
    const answers: Readonly<Record<number, (request: never) => Promise<unknown>>> = {
      8: async ({ groupGenerationId }: { groupGenerationId: number }) => {
        this.commits.push(groupGenerationId);
        this.#refuseOther(groupGenerationId);
        if (this.refusesCommits !== null) throw refusal(this.refusesCommits);
      },
      11: (request) => ask(this.joins, request),
      12: async ({ groupGenerationId }: { groupGenerationId: number }) => {
        this.#refuseOther(groupGenerationId);
        if (this.refusesBeats !== null) throw refusal(this.refusesBeats);
      },
      13: async (request) => void this.leavers.push(request),
      14: (request) => ask(this.syncs, request),
    };
    const broker = {
      lookupRequest: (key: number, _definition: RequestDefinition<object>) => (request: MemberIdentity) => {
        this.named.add(request.groupInstanceId);
        return { key, request };
      },
      connectionPool: {
        send: async ({ key, request }: { key: number; request: never }) => answers[key]?.(request),
      },
    };
    return broker as unknown as Broker;
  }

  /** What the member says that it holds, at its last request to join. */
  get claim() {
    const { metadata = Buffer.alloc(0) } = this.joins.at(-1)?.request.groupProtocols[0] ?? {};
    const { owned, generation } = decodeClaim('', decodeSubscription(metadata).userData);
    return { owned, generation };
  }

  answerJoin(generationId: number): Promise<unknown> {
    this.generation = generationId;
    this.joins.at(-1)?.answer({ generationId, memberId: 'me', leaderId: 'another', members: [] });
    return pass(0);
  }

  #refuseOther(generation: number): void {
    if (generation !== this.generation) throw refusal('ILLEGAL_GENERATION');
  }

  answerSync(partitions: readonly number[]): Promise<unknown> {
    this.syncs.at(-1)?.answer({ memberAssignment: encodeAssignment(TOPIC, partitions) });
    return pass(0);
  }
}

function ask<Request, Answer>(list: Question<Request, Answer>[], request: Request): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  list.push({ request, answer: resolve, refuse: (type) => reject(refusal(type)) });
  return promise;
}

function memberOf(coordinator: Coordinator, instance: string | null = null) {
  const brokers = {
    coordinator: async () => coordinator.broker,
    partitions: async () => coordinator.partitions,
    recover: async () => undefined,
  } as unknown as Brokers;
  const quiet = (): void => undefined;
  const connection = { timings: defaultTimings, say: quiet } as unknown as Connection;
  const health = new Health(defaultTimings.stall, quiet);
  const held = new Set<number>();
  const assigned = vi.fn<(partitions: readonly number[]) => Promise<void>>();
  assigned.mockImplementation(async (partitions) => {
    held.clear();
    for (const partition of partitions) held.add(partition);
  });
  const expelled = vi.fn(async () => held.clear());
  const refused = vi.fn<(error: LogError) => void>();
  const membership = new Membership(
    { brokers, entrance: brokers, connection, health, group: 'g', instance, topic: TOPIC },
    { owned: () => [...held], assigned, expelled, refused },
  );
  const commit = () => {
    const done = { ended: false };
    const work = membership.commit({ partition: 0, offset: 7, metadata: '' }, () => held.has(0));
    const result = work.finally(() => {
      done.ended = true;
    });
    result.catch(() => undefined);
    return { done, result };
  };
  return { membership, held, assigned, expelled, refused, commit };
}

describe('a member of a Kafka group that is shared out anew', () => {
  let coordinator: Coordinator;
  let member: ReturnType<typeof memberOf>;
  beforeEach(async () => {
    vi.useFakeTimers();
    coordinator = new Coordinator();
    member = memberOf(coordinator);
    await pass(0);
    await coordinator.answerJoin(5);
    await coordinator.answerSync([0, 1]);
  });
  afterEach(async () => {
    await member.membership.leave();
    vi.useRealTimers();
  });

  const rebalance = async () => {
    coordinator.refusesBeats = 'REBALANCE_IN_PROGRESS';
    await pass(heartbeat);
    expect(coordinator.joins).toHaveLength(2);
  };

  it('holds what it has and is certain of it for as long as its request to join waits', async () => {
    await rebalance();
    await pass(2 * session);
    expect(coordinator.claim).toEqual({ owned: [0, 1], generation: 5 });
    expect(member.membership.certain).toBe(true);
    const { result } = member.commit();
    await result;
    expect(coordinator.commits).toEqual([5]);
    await coordinator.answerJoin(6);
    await coordinator.answerSync([0, 1]);
    expect(member.assigned).toHaveBeenCalledTimes(2);
    expect(member.expelled).not.toHaveBeenCalled();
    expect(coordinator.joins).toHaveLength(2);
  });

  it('asks once for its share of partitions that were added to the topic', async () => {
    coordinator.partitions = 6;
    await pass(heartbeat);
    expect(coordinator.claim).toEqual({ owned: [0, 1], generation: 5 });
    await coordinator.answerJoin(6);
    await coordinator.answerSync([0, 1, 4]);
    await pass(3 * heartbeat);
    expect(member.assigned).toHaveBeenLastCalledWith([0, 1, 4]);
    expect(coordinator.joins).toHaveLength(2);
  });

  it('hears while its request to join waits that it was expelled, and loses everything', async () => {
    await rebalance();
    coordinator.refusesBeats = 'UNKNOWN_MEMBER_ID';
    await pass(heartbeat);
    expect(member.expelled).toHaveBeenCalled();
    expect(member.membership.certain).toBe(false);
    expect(coordinator.joins.at(-1)?.request.memberId).toBe('');
    expect(coordinator.claim.owned).toEqual([]);
  });

  it('joins as a new member once it has ended what it was at', async () => {
    const ended = Promise.withResolvers<void>();
    member.expelled.mockReturnValue(ended.promise);
    coordinator.refusesBeats = 'UNKNOWN_MEMBER_ID';
    await pass(3 * heartbeat);
    expect(coordinator.joins).toHaveLength(1);
    ended.resolve();
    await pass(0);
    expect(coordinator.joins.at(-1)?.request.memberId).toBe('');
    expect(coordinator.joins).toHaveLength(2);
  });

  it('is not certain of anything while nobody answers its beats', async () => {
    await rebalance();
    coordinator.refusesBeats = 'GROUP_COORDINATOR_NOT_AVAILABLE';
    await pass(session + heartbeat);
    expect(member.membership.certain).toBe(false);
    expect(member.expelled).not.toHaveBeenCalled();
  });

  it('is certain of what it holds while all wait for the one that shares out', async () => {
    await rebalance();
    coordinator.refusesBeats = null;
    await coordinator.answerJoin(6);
    await pass(2 * session);
    expect(coordinator.syncs).toHaveLength(2);
    expect(member.membership.certain).toBe(true);
  });

  it('commits for the new generation what was refused for the old one', async () => {
    await rebalance();
    // The answer to the join is on its way.
    coordinator.generation = 6;
    const { done, result } = member.commit();
    await pass(heartbeat);
    expect(member.expelled).not.toHaveBeenCalled();
    coordinator.refusesCommits = 'REBALANCE_IN_PROGRESS';
    coordinator.refusesBeats = null;
    await coordinator.answerJoin(6);
    await pass(heartbeat);
    expect(done.ended).toBe(false);
    coordinator.refusesCommits = null;
    await coordinator.answerSync([0]);
    await pass(heartbeat);
    await result;
    expect([coordinator.commits[0], coordinator.commits.at(-1)]).toEqual([5, 6]);
  });

  it('commits nothing for what it was not given again', async () => {
    await rebalance();
    coordinator.generation = 6;
    coordinator.refusesCommits = 'REBALANCE_IN_PROGRESS';
    const { result } = member.commit();
    await coordinator.answerJoin(6);
    await coordinator.answerSync([1]);
    coordinator.refusesCommits = null;
    await pass(heartbeat);
    await expect(result).rejects.toMatchObject({ code: 'fenced' });
  });

  it('joins again to say what it gave up, once it has', async () => {
    await rebalance();
    const givenUp = Promise.withResolvers<void>();
    member.assigned.mockReturnValue(givenUp.promise);
    await coordinator.answerJoin(6);
    coordinator.refusesBeats = null;
    await coordinator.answerSync([1]);
    await pass(3 * heartbeat);
    expect(coordinator.joins).toHaveLength(2);
    member.held.delete(0);
    givenUp.resolve();
    await pass(0);
    expect(coordinator.joins).toHaveLength(3);
    expect(coordinator.claim).toEqual({ owned: [1], generation: 6 });
  });

  it('keeps what it holds when one rebalance overtakes another', async () => {
    await rebalance();
    await coordinator.answerJoin(6);
    coordinator.syncs.at(-1)?.refuse('REBALANCE_IN_PROGRESS');
    await pass(0);
    expect(coordinator.claim).toEqual({ owned: [0, 1], generation: 5 });
    await coordinator.answerJoin(7);
    await coordinator.answerSync([0, 1]);
    expect(member.expelled).not.toHaveBeenCalled();
    expect(member.assigned.mock.lastCall).toEqual([[0, 1]]);
  });

  it('loses everything when the group has another generation and nobody asked it to join', async () => {
    coordinator.generation = 6;
    await pass(heartbeat);
    expect(member.expelled).toHaveBeenCalled();
  });
});

describe('a member of a Kafka group that goes by an instance', () => {
  let coordinator: Coordinator;
  let member: ReturnType<typeof memberOf>;
  beforeEach(async () => {
    vi.useFakeTimers();
    coordinator = new Coordinator();
    member = memberOf(coordinator, 'replica-1');
    await pass(0);
  });
  afterEach(async () => {
    await member.membership.leave();
    vi.useRealTimers();
  });

  /** The coordinator gives it what its earlier self had, and then hears what it holds. */
  const takeOver = async () => {
    await coordinator.answerJoin(5);
    await coordinator.answerSync([0, 1]);
    expect(coordinator.joins).toHaveLength(2);
    await coordinator.answerJoin(6);
    await coordinator.answerSync([0, 1]);
  };

  it('claims nothing, holds what it is given and says so at once, since nobody else has heard of it', async () => {
    expect(coordinator.claim).toEqual({ owned: [], generation: -1 });
    await coordinator.answerJoin(5);
    await coordinator.answerSync([0, 1]);
    expect(member.assigned.mock.calls).toEqual([[[0, 1]]]);
    expect(coordinator.claim).toEqual({ owned: [0, 1], generation: 5 });
    await coordinator.answerJoin(6);
    await coordinator.answerSync([0, 1, 2]);
    expect(member.assigned.mock.lastCall).toEqual([[0, 1, 2]]);
    await pass(3 * heartbeat);
    expect(coordinator.joins).toHaveLength(2);
    expect(member.expelled).not.toHaveBeenCalled();
  });

  it('says so too when it had to ask twice for what it is given', async () => {
    await coordinator.answerJoin(5);
    coordinator.syncs.at(-1)?.refuse('GROUP_COORDINATOR_NOT_AVAILABLE');
    await pass(0);
    await coordinator.answerJoin(5);
    await coordinator.answerSync([0, 1]);
    expect(coordinator.joins).toHaveLength(3);
    expect(coordinator.claim).toEqual({ owned: [0, 1], generation: 5 });
  });

  it('names its instance in every request, and leaves by it', async () => {
    await takeOver();
    await pass(heartbeat);
    await member.commit().result;
    await member.membership.leave();
    expect(coordinator.leavers).toEqual([{ groupId: 'g', memberId: 'me', groupInstanceId: 'replica-1' }]);
    expect(coordinator.named).toEqual(new Set(['replica-1']));
  });

  it('joins anew when its session has ended and nobody has its instance', async () => {
    await takeOver();
    coordinator.refusesBeats = 'UNKNOWN_MEMBER_ID';
    await pass(heartbeat);
    expect(member.expelled).toHaveBeenCalledTimes(1);
    expect(coordinator.joins.at(-1)?.request).toMatchObject({ memberId: '', groupInstanceId: 'replica-1' });
    expect(member.refused).not.toHaveBeenCalled();
  });

  const isOver = async () => {
    const joins = coordinator.joins.length;
    await pass(0);
    expect(member.held.size).toBe(0);
    expect(member.membership.certain).toBe(false);
    expect(member.expelled).toHaveBeenCalledTimes(1);
    expect(member.refused.mock.calls).toMatchObject([[{ code: 'replaced' }]]);
    coordinator.refusesBeats = null;
    await pass(3 * session);
    expect(coordinator.joins).toHaveLength(joins);
    await expect(member.commit().result).rejects.toMatchObject({ code: 'fenced' });
    await member.membership.leave();
    expect(coordinator.leavers).toEqual([]);
  };

  it('hears from its heartbeat that another one has its instance, and ends for good', async () => {
    await takeOver();
    coordinator.refusesBeats = 'FENCED_INSTANCE_ID';
    await pass(heartbeat);
    await isOver();
  });

  it('hears it while it waits to join, and ends for good', async () => {
    await takeOver();
    coordinator.refusesBeats = 'REBALANCE_IN_PROGRESS';
    await pass(heartbeat);
    coordinator.joins.at(-1)?.refuse('FENCED_INSTANCE_ID');
    await isOver();
  });

  it('hears it from a commit, which is fenced, and ends for good', async () => {
    await takeOver();
    coordinator.refusesCommits = 'FENCED_INSTANCE_ID';
    const commits = [member.commit(), member.commit()];
    for (const { result } of commits) await expect(result).rejects.toMatchObject({ code: 'fenced' });
    await isOver();
  });

  it('that is replaced before it was given anything does not join', async () => {
    const joined = expect(member.membership.joined).rejects.toMatchObject({
      code: 'replaced',
      message:
        'Another process joined group g as instance replica-1, and this one gets nothing any more. Give each running replica an instance of its own, then start this one again.',
    });
    await coordinator.answerJoin(5);
    coordinator.syncs.at(-1)?.refuse('FENCED_INSTANCE_ID');
    await joined;
    await isOver();
  });
});
