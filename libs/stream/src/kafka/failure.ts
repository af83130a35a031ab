import { LogError, type LogErrorCode } from '../log.ts';

/** What is read of a client's error: kafkajs classes carry more, and none of it crosses the border. */
interface ClientFailure {
  readonly message: string;
  readonly name: string;
  /** The protocol's name of the error. */
  readonly type?: string;
  readonly retriable?: boolean;
  readonly topic?: string;
  readonly partition?: number;
  readonly cause?: unknown;
}

/** Protocol errors by what they mean to the user of a log; every other one means that it does not answer now. */
const CODES: Readonly<Record<string, LogErrorCode>> = {
  ILLEGAL_GENERATION: 'fenced',
  UNKNOWN_MEMBER_ID: 'fenced',
  FENCED_INSTANCE_ID: 'fenced',
  MESSAGE_TOO_LARGE: 'refused',
  RECORD_LIST_TOO_LARGE: 'refused',
  INVALID_RECORD: 'refused',
  INVALID_TIMESTAMP: 'refused',
  INVALID_TOPIC_EXCEPTION: 'refused',
  UNKNOWN_TOPIC_OR_PARTITION: 'refused',
  TOPIC_AUTHORIZATION_FAILED: 'refused',
  GROUP_AUTHORIZATION_FAILED: 'refused',
  CLUSTER_AUTHORIZATION_FAILED: 'refused',
  SASL_AUTHENTICATION_FAILED: 'refused',
  INCONSISTENT_GROUP_PROTOCOL: 'refused',
  INVALID_SESSION_TIMEOUT: 'refused',
  OFFSET_METADATA_TOO_LARGE: 'refused',
  OFFSET_OUT_OF_RANGE: 'refused',
  CORRUPT_MESSAGE: 'corrupt',
};

/** Another process has joined under the member's instance. */
export const REPLACED = 'FENCED_INSTANCE_ID';

/** The group went on without the member, or it may have. */
export const EXPELLED: ReadonlySet<string> = new Set(['UNKNOWN_MEMBER_ID', 'ILLEGAL_GENERATION', REPLACED]);

const ADVICE: Partial<Record<LogErrorCode, string>> = {
  unavailable: 'Check that the brokers run and can be reached.',
  fenced: 'Another member of the group owns the partition.',
};

/** The protocol's name of a client's error, through the wrappers of retries; empty for other errors. */
export function failureType(error: unknown): string {
  const failure = rootOf(error);
  if (failure.name === 'KafkaJSSASLAuthenticationError') return 'SASL_AUTHENTICATION_FAILED';
  return failure.type ?? '';
}

/** The partition that a fetch failed on, where the answer named one. */
export function failedPartition(error: unknown): { topic: string; partition: number } | null {
  const { topic, partition } = rootOf(error);
  return topic === undefined || partition === undefined ? null : { topic, partition };
}

/** The broker did not answer in time: the connection may be a dead one. */
export function isTimeout(error: unknown): boolean {
  return rootOf(error).name === 'KafkaJSRequestTimeoutError';
}

/** The answer came but could not be decoded, or the broker itself found damage. */
export function isUnreadable(error: unknown): boolean {
  const { name, type } = rootOf(error);
  return type === 'CORRUPT_MESSAGE' || ['TypeError', 'RangeError', 'KafkaJSNonRetriableError'].includes(name);
}

/** Any error as a `LogError` whose sentence begins with what was being done. */
export function toLogError(error: unknown, doing: string): LogError {
  if (error instanceof LogError) return error;
  const failure = rootOf(error);
  const code = CODES[failureType(error)] ?? 'unavailable';
  const advice = ADVICE[code];
  const sentence = `${doing}: ${failure.message.replace(/\.$/, '')}.`;
  return new LogError(code, advice === undefined ? sentence : `${sentence} ${advice}`, { cause: error });
}

function rootOf(error: unknown): ClientFailure {
  let failure: unknown = error;
  for (let depth = 0; depth < 5; depth++) {
    if (!(failure instanceof Error) || !(failure.cause instanceof Error)) break;
    failure = failure.cause;
  }
  return failure instanceof Error ? failure : { name: 'Error', message: String(error) };
}
