import type { OperatorKey } from '@loopwarden/wire';
import { checkOptions } from './check-options.ts';
import { type Clock, systemClock } from './clock.ts';
import type { Connection } from './connection.ts';
import type { DigestKey } from './digests.ts';
import type { Observer } from './fact.ts';
import { GatewayError } from './gateway-error.ts';
import type { BufferBound } from './outbox.ts';
import type { Payloads } from './payload.ts';
import { reasonOf } from './reason-of.ts';

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
  /** Hears every fact. Unless given, the process warns of the first call that could not be read. */
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
  try {
    checkOptions(options);
    return filledIn(options);
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    throw new GatewayError('bad_option', `An option cannot be read: ${reasonOf(error)}. Give plain values.`);
  }
}

function filledIn(options: GatewayOptions): Settled {
  const { records, bytes, onFull } = options.buffer ?? {};
  return {
    log: options.log,
    gatewayId: options.gatewayId,
    prefix: options.prefix ?? 'loopwarden.',
    strict: options.strict ?? null,
    onStale: options.onStale ?? 'open',
    hmacKey: options.hmacKey ?? null,
    payloads: options.payloads ?? null,
    operatorKeys: options.operatorKeys ?? null,
    buffer: {
      records: records ?? DEFAULT_BUFFER.records,
      bytes: bytes ?? DEFAULT_BUFFER.bytes,
      onFull: onFull ?? DEFAULT_BUFFER.onFull,
    },
    observer: options.observer ?? warnOfBadCalls(),
    maxRuns: options.maxRuns ?? 100_000,
    clock: options.clock ?? systemClock,
    startId: options.startId ?? crypto.randomUUID().slice(0, 13),
  };
}

/** Where nobody watches, the process warns of the first call that could not be read: it is not guarded. */
function warnOfBadCalls(): Observer {
  let warned = false;
  return (fact) => {
    if (warned || fact.kind !== 'bad_call') return;
    warned = true;
    process.emitWarning(fact.detail, { type: 'LoopwardenWarning', code: 'bad_call' });
  };
}
