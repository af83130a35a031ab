/** How to reach a Kafka cluster, and how patient to be with it. */
export interface KafkaOptions {
  /** `host:port` of some brokers; the rest is found through them. */
  readonly brokers: readonly string[];
  /** Names this process in the brokers' logs and quotas; `loopwarden` unless told otherwise. */
  readonly clientId?: string;
  /** TLS with the system's authorities (`true`) or with these, in PEM. Absent: plain text. */
  readonly tls?: true | KafkaTls;
  readonly sasl?: KafkaSasl;
  /** Copies of a topic that `admin.apply` creates; at most 3, and no more than there are brokers, unless told otherwise. */
  readonly replication?: number;
  readonly timings?: Partial<KafkaTimings>;
  /** Hears what the driver has to say, a few lines per incident. */
  readonly log?: (line: KafkaLogLine) => void;
}

export interface KafkaTls {
  readonly ca?: string;
  /** Certificate and key of this client, where the brokers ask for one. */
  readonly cert?: string;
  readonly key?: string;
  readonly passphrase?: string;
  /** False: takes any certificate, so that anybody can pose as a broker. */
  readonly verify?: boolean;
}

export interface KafkaSasl {
  readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
  readonly username: string;
  readonly password: string;
}

export interface KafkaLogLine {
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
}

/** All in milliseconds. */
export interface KafkaTimings {
  /** A member that is silent for longer loses its partitions. The brokers' own bounds are 6 s to 30 min. */
  readonly session: number;
  /** How long a group waits for a member's batches in flight before it goes on without it. */
  readonly rebalance: number;
  readonly heartbeat: number;
  readonly request: number;
  /** How long an append is tried before it is reported as unavailable. Above the brokers' election of a new leader. */
  readonly append: number;
  /** The longest a fetch waits for records; a bound on idle reactions, not a delay: records answer it at once. */
  readonly fetchWait: number;
  /** A partition that lags and has not advanced for so long is not healthy; nor is a cluster unreachable for so long. */
  readonly stall: number;
}

export const defaultTimings: KafkaTimings = {
  session: 10_000,
  rebalance: 20_000,
  heartbeat: 1_000,
  request: 5_000,
  append: 30_000,
  fetchWait: 200,
  stall: 30_000,
};
