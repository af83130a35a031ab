import type { Broker, TopicRequest } from 'kafkajs/src/cluster/index.js';
import encodeFetch from 'kafkajs/src/protocol/requests/fetch/v11/request.js';
import fetchResponse from 'kafkajs/src/protocol/requests/fetch/v11/response.js';
import { LogError } from '../log.ts';
import { AnswerBytes } from './answer-bytes.ts';
import { decodeRecordSet, type PlaceInLog, type RecordSet } from './record-set.ts';
import { sendRequest } from './send-request.ts';

const FETCH = 1;
/** Of Kafka 2.3: every broker of 2019 and later speaks it. */
const VERSION = 11;
/** A client that is no replica, takes the first record at once, and reads what is uncommitted: nothing here is transactional. */
const FOLLOWER = { replicaId: -1, minBytes: 1, isolationLevel: 0 };
/** What the network may take beside the time that the broker waits; the connection's own limit counts where it is longer. */
const NETWORK_MS = 5_000;

interface FetchRequest {
  /** Milliseconds that the broker waits for a record. */
  readonly maxWaitTime: number;
  /** Bytes of all partitions of the answer. */
  readonly maxBytes: number;
  readonly topics: readonly TopicRequest<{ partition: number; fetchOffset: string; maxBytes: number }>[];
}

/** What a broker sent of one partition. */
export interface FetchedPartition extends PlaceInLog, RecordSet {
  readonly errorCode: number;
  /** The log's end: offset of the next record. */
  readonly end: number;
}

interface FetchAnswer {
  readonly clientSideThrottleTime: number;
  readonly errorCode: number;
  readonly responses: readonly { topicName: string; partitions: readonly FetchedPartition[] }[];
}

/** Asks a broker for records. Rejects with a client's error, also when a partition of the answer carries one. */
export async function fetchFrom(broker: Broker, request: FetchRequest): Promise<readonly FetchedPartition[]> {
  const fetch = broker.lookupRequest<FetchRequest>(FETCH, PROTOCOL);
  const { responses } = (await sendRequest(broker, fetch(request))) as FetchAnswer;
  return responses.flatMap(({ partitions }) => partitions);
}

const PROTOCOL = {
  versions: [String(VERSION)],
  protocol: ({ version }: { readonly version: number }) => {
    if (version < VERSION)
      throw new LogError('refused', 'The broker is older than Kafka 2.3. Use Kafka 2.3 or a later one.');
    return (request: FetchRequest): object => ({
      request: encodeFetch({ ...FOLLOWER, ...request }),
      response: { decode: decodeAnswer, parse: fetchResponse.parse },
      requestTimeout: request.maxWaitTime + NETWORK_MS,
    });
  },
};

async function decodeAnswer(raw: Buffer): Promise<FetchAnswer> {
  const answer = new AnswerBytes(raw);
  const clientSideThrottleTime = answer.int32();
  const errorCode = answer.int16();
  answer.skip(4); // session
  const responses: { topicName: string; partitions: FetchedPartition[] }[] = [];
  for (let topics = answer.int32(); topics > 0; topics--) {
    const topicName = answer.text(answer.int16());
    const partitions: FetchedPartition[] = [];
    for (let count = answer.int32(); count > 0; count--)
      partitions.push(await decodePartition(answer, topicName));
    responses.push({ topicName, partitions });
  }
  return { clientSideThrottleTime, errorCode, responses };
}

async function decodePartition(answer: AnswerBytes, topic: string): Promise<FetchedPartition> {
  const partition = answer.int32();
  const errorCode = answer.int16();
  const end = answer.int64();
  answer.skip(16); // last stable offset, log start
  for (let aborted = answer.int32(); aborted > 0; aborted--) answer.skip(16);
  answer.skip(4); // preferred replica
  const bytes = answer.slice(answer.int32()) ?? Buffer.alloc(0);
  return { topic, partition, errorCode, end, ...(await decodeRecordSet(bytes, { topic, partition })) };
}
