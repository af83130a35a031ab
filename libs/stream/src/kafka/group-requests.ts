import type { Broker, RawCommit, RawMember, TopicRequest } from 'kafkajs/src/cluster/index.js';
import Encoder from 'kafkajs/src/protocol/encoder.js';
import { requests } from 'kafkajs/src/protocol/requests/index.js';
import commitResponse from 'kafkajs/src/protocol/requests/offsetCommit/v5/response.js';
import { sendRequest } from './send-request.ts';

// The requests of a group's member, sent past kafkajs' own methods: those drop the instance.

const OFFSET_COMMIT = 8;
const JOIN_GROUP = 11;
const HEARTBEAT = 12;
const LEAVE_GROUP = 13;
const SYNC_GROUP = 14;
/** Of Kafka 2.3, as the fetches: the first that names the instance. kafkajs ends with version 5. */
const COMMIT_VERSION = 7;
const NO_LEADER_EPOCH = -1;
const PROTOCOL_TYPE = 'consumer';

/** Who asks. */
export interface MemberIdentity {
  readonly groupId: string;
  /** Empty: a new member. */
  readonly memberId: string;
  /** What a process goes by that takes the place of its earlier self (KIP-345); null: by nothing. */
  readonly groupInstanceId: string | null;
}

export interface JoinRequest extends MemberIdentity {
  readonly sessionTimeout: number;
  readonly rebalanceTimeout: number;
  readonly groupProtocols: readonly { readonly name: string; readonly metadata: Buffer }[];
}

export interface JoinAnswer {
  readonly generationId: number;
  readonly leaderId: string;
  readonly memberId: string;
  readonly members: readonly RawMember[];
}

interface SyncRequest extends MemberIdentity {
  readonly generationId: number;
  readonly groupAssignment: readonly { readonly memberId: string; readonly memberAssignment: Buffer }[];
}

interface CommitRequest extends MemberIdentity {
  readonly groupGenerationId: number;
  readonly topics: readonly TopicRequest<RawCommit>[];
}

/** Answered when every member has asked. A broker names a new member first, and is then asked again. */
export async function joinGroup(broker: Broker, request: JoinRequest): Promise<JoinAnswer> {
  const join = broker.lookupRequest(JOIN_GROUP, requests.JoinGroup);
  const asking = { ...request, protocolType: PROTOCOL_TYPE };
  try {
    return (await sendRequest(broker, join(asking))) as JoinAnswer;
  } catch (error) {
    const memberId = givenName(error);
    if (memberId === null) throw error;
    return (await sendRequest(broker, join({ ...asking, memberId }))) as JoinAnswer;
  }
}

export async function syncGroup(broker: Broker, request: SyncRequest): Promise<{ memberAssignment: Buffer }> {
  const sync = broker.lookupRequest(SYNC_GROUP, requests.SyncGroup);
  return (await sendRequest(broker, sync(request))) as { memberAssignment: Buffer };
}

export async function heartbeat(
  broker: Broker,
  request: MemberIdentity & { readonly groupGenerationId: number },
): Promise<void> {
  await sendRequest(broker, broker.lookupRequest(HEARTBEAT, requests.Heartbeat)(request));
}

export async function leaveGroup(broker: Broker, request: MemberIdentity): Promise<void> {
  await sendRequest(broker, broker.lookupRequest(LEAVE_GROUP, requests.LeaveGroup)(request));
}

export async function commitOffsets(broker: Broker, request: CommitRequest): Promise<void> {
  await sendRequest(broker, broker.lookupRequest(OFFSET_COMMIT, OFFSET_COMMITS)(request));
}

function givenName(error: unknown): string | null {
  if (!(error instanceof Error) || error.name !== 'KafkaJSMemberIdRequired') return null;
  return (error as Error & { readonly memberId: string }).memberId;
}

const OFFSET_COMMITS = {
  versions: [String(COMMIT_VERSION)],
  protocol: () => (request: CommitRequest) => ({
    request: {
      apiKey: OFFSET_COMMIT,
      apiVersion: COMMIT_VERSION,
      apiName: 'OffsetCommit',
      encode: async () => encodeCommit(request),
    },
    response: commitResponse,
  }),
};

function encodeCommit({
  groupId,
  groupGenerationId,
  memberId,
  groupInstanceId,
  topics,
}: CommitRequest): Encoder {
  return new Encoder()
    .writeString(groupId)
    .writeInt32(groupGenerationId)
    .writeString(memberId)
    .writeString(groupInstanceId)
    .writeArray(
      topics.map(({ topic, partitions }) =>
        new Encoder()
          .writeString(topic)
          .writeArray(
            partitions.map(({ partition, offset, metadata = null }) =>
              new Encoder()
                .writeInt32(partition)
                .writeInt64(offset)
                .writeInt32(NO_LEADER_EPOCH)
                .writeString(metadata),
            ),
          ),
      ),
    );
}
