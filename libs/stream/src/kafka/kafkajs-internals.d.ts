/**
 * The lower layer of kafkajs 2.2.4 that this driver stands on: requests to single brokers, below its consumer
 * and producer. Only what is used is declared. `client-version.ts` refuses any other version.
 */
declare module 'kafkajs/src/cluster/index.js' {
  export interface RawMessage {
    readonly offset: string;
    readonly timestamp: string;
    readonly key: Buffer | null;
    readonly value: Buffer | null;
    readonly headers: Readonly<Record<string, Buffer | Buffer[] | null>>;
    readonly isControlRecord: boolean;
    /** Absent in the formats before Kafka 0.11. */
    readonly batchContext?: { readonly firstOffset: string; readonly lastOffsetDelta: number };
  }

  export interface TopicRequest<Partition> {
    readonly topic: string;
    readonly partitions: readonly Partition[];
  }

  export interface RawProduced {
    readonly partition: number;
    readonly baseOffset: string;
    readonly logAppendTime: string;
  }

  export interface RawFetched {
    readonly partition: number;
    readonly highWatermark: string;
    readonly messages: readonly RawMessage[];
  }

  export interface RawCommit {
    readonly partition: number;
    readonly offset: string;
    readonly metadata?: string | null;
  }

  export interface GroupIdentity {
    readonly groupId: string;
    readonly memberId: string;
  }

  export interface RawMember {
    readonly memberId: string;
    readonly memberMetadata: Buffer;
  }

  export interface Broker {
    readonly nodeId: string;
    readonly connectionPool: { readonly host: string; readonly port: number };
    disconnect(): Promise<void>;
    produce(request: {
      readonly acks: number;
      readonly timeout: number;
      readonly compression?: number;
      readonly topicData: readonly TopicRequest<{ partition: number; messages: readonly object[] }>[];
    }): Promise<{
      readonly topics: readonly { readonly topicName: string; readonly partitions: readonly RawProduced[] }[];
    }>;
    fetch(request: {
      readonly maxWaitTime: number;
      readonly minBytes: number;
      readonly maxBytes: number;
      readonly isolationLevel: number;
      readonly topics: readonly TopicRequest<{ partition: number; fetchOffset: string; maxBytes: number }>[];
    }): Promise<{
      readonly responses: readonly {
        readonly topicName: string;
        readonly partitions: readonly RawFetched[];
      }[];
    }>;
    listOffsets(request: {
      readonly isolationLevel: number;
      readonly topics: readonly TopicRequest<{ partition: number; timestamp: number }>[];
    }): Promise<{
      readonly responses: readonly {
        readonly topic: string;
        readonly partitions: readonly { readonly partition: number; readonly offset: string }[];
      }[];
    }>;
    offsetFetch(request: {
      readonly groupId: string;
      readonly topics: readonly TopicRequest<{ partition: number }>[];
    }): Promise<{ readonly responses: readonly TopicRequest<RawCommit>[] }>;
    offsetCommit(
      request: GroupIdentity & {
        readonly groupGenerationId: number;
        readonly topics: readonly TopicRequest<RawCommit>[];
      },
    ): Promise<unknown>;
    joinGroup(
      request: GroupIdentity & {
        readonly sessionTimeout: number;
        readonly rebalanceTimeout: number;
        readonly groupProtocols: readonly { readonly name: string; readonly metadata: Buffer }[];
      },
    ): Promise<{
      readonly generationId: number;
      readonly leaderId: string;
      readonly memberId: string;
      readonly members: readonly RawMember[];
    }>;
    syncGroup(
      request: GroupIdentity & {
        readonly generationId: number;
        readonly groupAssignment: readonly { readonly memberId: string; readonly memberAssignment: Buffer }[];
      },
    ): Promise<{ readonly memberAssignment: Buffer }>;
    heartbeat(request: GroupIdentity & { readonly groupGenerationId: number }): Promise<unknown>;
    leaveGroup(request: GroupIdentity): Promise<unknown>;
  }

  class Cluster {
    constructor(options: object);
    connect(): Promise<void>;
    disconnect(): Promise<void>;
    isConnected(): boolean;
    addTargetTopic(topic: string): Promise<void>;
    refreshMetadata(): Promise<void>;
    refreshMetadataIfNecessary(): Promise<void>;
    removeBroker(address: { readonly host: string; readonly port: number }): void;
    findTopicPartitionMetadata(
      topic: string,
    ): readonly { readonly partitionId: number; readonly leader: number | null }[];
    findBroker(of: { readonly nodeId: string | number }): Promise<Broker>;
    findGroupCoordinator(of: { readonly groupId: string }): Promise<Broker>;
  }

  // biome-ignore lint/style/noDefaultExport: this is how a CommonJS module arrives.
  export { Cluster as default };
}

declare module 'kafkajs/src/loggers/index.js' {
  import type { logCreator, logLevel } from 'kafkajs';

  export function createLogger(options: { level: logLevel; logCreator: logCreator }): object;
}

declare module 'kafkajs/src/network/requestQueue/index.js' {
  class RequestQueue {
    readonly pending: readonly unknown[];
    scheduleCheckPendingRequests(): void;
  }

  // biome-ignore lint/style/noDefaultExport: this is how a CommonJS module arrives.
  export { RequestQueue as default };
}
