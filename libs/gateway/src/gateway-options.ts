import type { OperatorKey } from '@loopwarden/wire';
import { type Clock, systemClock } from './clock.ts';
import type { Connection } from './connection.ts';
import type { DigestKey } from './digests.ts';
import type { Observer } from './fact.ts';
import { GatewayError } from './gateway-error.ts';
import type { BufferBound } from './outbox.ts';
import { MAX_PAYLOAD_BYTES, type Payloads } from './payload.ts';

/** Waiting for the detectors before each call. */
export interface Strict {
  /** How long a decision may take at most, in milliseconds. */
  readonly deadlineMs: number;
  /** What happens when it passes: decide by what is known (`open`), or refuse the call (`closed`). */
  readonly onDeadline: 'open' | 'closed';
}

export interface GatewayOptions {
  readonly log: Connection;
  /** Names this gateway for operators. */
  readonly gatewayId: string;
  /** Prefix of the topics; `loopwarden.` unless given. */
  readonly prefix?: string;
  /** Unless given, decisions are local and never wait. */
  readonly strict?: Strict;
  /** Whether verdicts of a partition that no detector has spoken for in 60 s are enforced; `open`: no (the default). */
  readonly onStale?: 'open' | 'closed';
  /** Makes digests HMACs, so that nobody can test guesses against the topic. A new key breaks running streaks once. */
  readonly hmacKey?: DigestKey;
  /** Which tools' arguments and results stand in events; unless given, none. */
  readonly payloads?: Payloads;
  /** What is kept while the log cannot be reached. */
  readonly buffer?: Partial<BufferBound>;
  /** Only policies signed by one of these are followed; unless given, every policy is. */
  readonly operatorKeys?: readonly OperatorKey[];
  readonly observer?: Observer;
  /** Runs kept in memory (default 100,000); beyond it the least recently active is forgotten. */
  readonly maxRuns?: number;
  readonly clock?: Clock;
  /** The random part of this start's source; for tests. */
  readonly startId?: string;
}

/** Options with what was left out filled in. */
export interface Settled
  extends Required<Omit<GatewayOptions, 'strict' | 'hmacKey' | 'payloads' | 'operatorKeys' | 'buffer'>> {
  readonly strict: Strict | null;
  readonly hmacKey: DigestKey | null;
  readonly payloads: Payloads | null;
  readonly operatorKeys: readonly OperatorKey[] | null;
  readonly buffer: BufferBound;
}

const MIB = 1024 * 1024;
const DEFAULT_BUFFER: BufferBound = { records: 10_000, bytes: 16 * MIB, onFull: 'drop-oldest' };

/** Fills in defaults. Throws a `GatewayError` with code `bad_option` that names the option. */
export function settle(options: GatewayOptions): Settled {
  refuseWrong(options);
  return {
    log: options.log,
    gatewayId: options.gatewayId,
    prefix: options.prefix ?? 'loopwarden.',
    strict: options.strict ?? null,
    onStale: options.onStale ?? 'open',
    hmacKey: options.hmacKey ?? null,
    payloads: options.payloads ?? null,
    operatorKeys: options.operatorKeys ?? null,
    buffer: { ...DEFAULT_BUFFER, ...options.buffer },
    observer: options.observer ?? (() => {}),
    maxRuns: options.maxRuns ?? 100_000,
    clock: options.clock ?? systemClock,
    startId: options.startId ?? crypto.randomUUID().slice(0, 13),
  };
}

/** The longest time that a timer of Node.js takes; with a longer one it would be over at once. */
const MAX_DEADLINE_MS = 2 ** 31 - 1;

function refuseWrong({
  gatewayId,
  strict,
  onStale,
  buffer = {},
  maxRuns = 1,
  payloads,
}: GatewayOptions): void {
  if (gatewayId.trim() === '') refuse('gatewayId is blank; name the gateway.');
  if (gatewayId === 'operator') refuse('gatewayId "operator" is taken; name the gateway otherwise.');
  if (strict !== undefined) {
    const { deadlineMs } = strict;
    if (!(deadlineMs > 0 && deadlineMs <= MAX_DEADLINE_MS)) {
      refuse(`strict.deadlineMs is ${deadlineMs}; say how many milliseconds a decision may take.`);
    }
    refuseUnless('strict.onDeadline', strict.onDeadline, ['open', 'closed']);
  }
  refuseUnless('onStale', onStale ?? 'open', ['open', 'closed']);
  const { records = 1, bytes = 1, onFull = 'refuse' } = buffer;
  refuseUnless('buffer.onFull', onFull, ['drop-oldest', 'refuse']);
  if (!(records >= 1 && bytes >= 1)) refuse('buffer must hold at least one record and one byte.');
  if (!(maxRuns >= 1)) refuse(`maxRuns is ${maxRuns}; let it be at least 1.`);
  const { maxBytes = 1 } = payloads ?? {};
  if (!(maxBytes >= 1 && maxBytes <= MAX_PAYLOAD_BYTES)) {
    refuse(`payloads.maxBytes is ${maxBytes}; let it be 1 to ${MAX_PAYLOAD_BYTES}.`);
  }
}

/** A misspelt choice would silently mean the other one. */
function refuseUnless<T extends string>(option: string, value: T, choices: readonly T[]): void {
  if (!choices.includes(value)) refuse(`${option} is "${value}"; choose one of ${choices.join(', ')}.`);
}

function refuse(sentence: string): never {
  throw new GatewayError('bad_option', sentence);
}
