import type { Broker, RawMember } from 'kafkajs/src/cluster/index.js';
import {
  decodeAssignment,
  decodeSubscription,
  encodeAssignment,
  encodeSubscription,
} from './assignment-protocol.ts';
import { joinGroup, type MemberIdentity, syncGroup } from './group-requests.ts';
import type { KafkaTimings } from './options.ts';
import { decodeClaim, encodeClaim, protocolName, shareOut } from './sticky.ts';

/** Who asks: a member of a group, over one topic. */
interface Applicant extends MemberIdentity {
  readonly topic: string;
}

interface Joined {
  readonly memberId: string;
  readonly generation: number;
  /** The members, when this one is to share the partitions out; else null. */
  readonly members: readonly RawMember[] | null;
}

/** Asks to join; answered when every member has asked, or its time was up. */
export async function join(
  coordinator: Broker,
  applicant: Applicant,
  claim: { generation: number; owned: readonly number[]; timings: KafkaTimings },
): Promise<Joined> {
  const { topic, ...identity } = applicant;
  const metadata = encodeSubscription({ topics: [topic], userData: encodeClaim(claim) });
  const answer = await joinGroup(coordinator, {
    ...identity,
    sessionTimeout: claim.timings.session,
    rebalanceTimeout: claim.timings.rebalance,
    groupProtocols: [{ name: protocolName, metadata }],
  });
  return {
    memberId: answer.memberId,
    generation: answer.generationId,
    members: answer.leaderId === answer.memberId ? answer.members : null,
  };
}

/** Hands the shares in, as the leader, and learns the applicant's own. `count`: partitions of the topic. */
export async function sync(
  coordinator: Broker,
  applicant: Applicant,
  { joined, count }: { joined: Joined; count: number },
): Promise<readonly number[]> {
  const { topic, ...identity } = applicant;
  const { memberAssignment } = await syncGroup(coordinator, {
    ...identity,
    memberId: joined.memberId,
    generationId: joined.generation,
    groupAssignment: joined.members === null ? [] : shares(joined.members, topic, count),
  });
  return decodeAssignment(memberAssignment, topic);
}

function shares(members: readonly RawMember[], topic: string, count: number) {
  const claims = members.map(({ memberId, memberMetadata }) =>
    decodeClaim(memberId, decodeSubscription(memberMetadata).userData),
  );
  return [...shareOut(claims, count)].map(([memberId, partitions]) => ({
    memberId,
    memberAssignment: encodeAssignment(topic, partitions),
  }));
}
