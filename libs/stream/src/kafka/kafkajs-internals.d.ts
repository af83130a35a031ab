/**
 * The lower layer of kafkajs 2.2.4 that this driver stands on: requests to single brokers, below its consumer
 * and producer. Only what is used is declared. `client-version.ts` refuses any other version.
 */
declare module 'kafkajs/src/cluster/index.js' {
  export interface TopicRequest<Partition> {
    readonly topic: string;
    readonly partitions: readonly Partition[];
  }

  export interface RawProduced {
    readonly partition: number;
    readonly baseOffset: string;
    readonly logAppendTime: string;
  }

  export interface RawCommit {
    readonly partition: number;
    readonly offset: string;
    readonly metadata?: string | null;
  }

  export interface RawMember {
    readonly memberId: string;
    readonly memberMetadata: Buffer;
  }

  export interface RequestDefinition<Request> {
    readonly versions: readonly string[];
    protocol(negotiated: { readonly version: number }): (request: Request) => object;
  }

  export interface Broker {
    readonly nodeId: string;
    readonly connectionPool: {
      readonly host: string;
      readonly port: number;
      send(request: object): Promise<unknown>;
    };
    disconnect(): Promise<void>;
    produce(request: {
      readonly acks: number;
      readonly timeout: number;
      readonly compression?: number;
      readonly topicData: readonly TopicRequest<{ partition: number; messages: readonly object[] }>[];
    }): Promise<{
      readonly topics: readonly { readonly topicName: string; readonly partitions: readonly RawProduced[] }[];
    }>;
    /** A request in the newest version that both sides know; throws when the broker does not know it at all. */
    lookupRequest<Request>(
      apiKey: number,
      definition: RequestDefinition<Request>,
    ): (request: Request) => object;
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
  }

  class Cluster {
    constructor(options: object);
    connect(): Promise<void>;
    disconnect(): Promise<void>;
    addTargetTopic(topic: string): Promise<void>;
    refreshMetadata(): Promise<void>;
    refreshMetadataIfNecessary(): Promise<void>;
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

declare module 'kafkajs/src/protocol/requests/index.js' {
  import type { RequestDefinition } from 'kafkajs/src/cluster/index.js';

  /** By name; what a version does not know of a request it leaves out. */
  export const requests: Readonly<
    Record<'JoinGroup' | 'SyncGroup' | 'Heartbeat' | 'LeaveGroup', RequestDefinition<object>>
  >;
}

declare module 'kafkajs/src/protocol/requests/offsetCommit/v5/response.js' {
  const response: object;

  // biome-ignore lint/style/noDefaultExport: this is how a CommonJS module arrives.
  export { response as default };
}

declare module 'kafkajs/src/protocol/encoder.js' {
  class Encoder {
    writeInt32(value: number): this;
    writeInt64(value: string): this;
    writeString(value: string | null): this;
    writeArray(values: readonly Encoder[]): this;
  }

  // biome-ignore lint/style/noDefaultExport: this is how a CommonJS module arrives.
  export { Encoder as default };
}

declare module 'kafkajs/src/protocol/requests/fetch/v11/request.js' {
  function encodeFetch(request: object): object;

  // biome-ignore lint/style/noDefaultExport: this is how a CommonJS module arrives.
  export { encodeFetch as default };
}

declare module 'kafkajs/src/protocol/requests/fetch/v11/response.js' {
  const response: {
    /** Rejects with the error of the first partition that has one. */
    parse(answer: object): Promise<unknown>;
  };

  // biome-ignore lint/style/noDefaultExport: this is how a CommonJS module arrives.
  export { response as default };
}

declare module 'kafkajs/src/protocol/decoder.js' {
  class Decoder {
    constructor(bytes: Buffer);
  }

  // biome-ignore lint/style/noDefaultExport: this is how a CommonJS module arrives.
  export { Decoder as default };
}

declare module 'kafkajs/src/protocol/recordBatch/record/v0/index.js' {
  function encodeRecord(record: object): object;

  // biome-ignore lint/style/noDefaultExport: this is how a CommonJS module arrives.
  export { encodeRecord as default };
}

declare module 'kafkajs/src/protocol/recordBatch/v0/index.js' {
  const recordBatch: { RecordBatch(batch: object): Promise<{ readonly buffer: Buffer }> };

  // biome-ignore lint/style/noDefaultExport: this is how a CommonJS module arrives.
  export { recordBatch as default };
}

declare module 'kafkajs/src/protocol/requests/fetch/v4/decodeMessages.js' {
  interface RawMessage {
    readonly offset: string;
    readonly timestamp: string;
    readonly key: Buffer | null;
    readonly value: Buffer | null;
    readonly headers: Readonly<Record<string, Buffer | Buffer[] | null>>;
  }

  function decodeMessages(decoder: object): Promise<RawMessage[]>;

  // biome-ignore lint/style/noDefaultExport: this is how a CommonJS module arrives.
  export { decodeMessages as default };
}
