import type { Logger } from '@loopwarden/runtime';
import type { Facts } from './facts.ts';
import type { Time } from './time.ts';

/** What a detector that is alive tells of what it judges. */
export interface Readiness {
  readonly owned: Set<number>;
  /** Partitions that wait, and for what. */
  readonly waiting: Map<number, string>;
  /** Why it judges nothing; null: it does. A restart would only replace the other one. */
  replaced: string | null;
}

/** Longer than joining a group takes, in milliseconds. */
const STANDBY_MS = 10_000;

export function openReadiness(): Readiness {
  return { owned: new Set(), waiting: new Map(), replaced: null };
}

/** Remembers what readiness tells. */
export function noteReadiness(facts: Facts, readiness: Readiness): Facts {
  const { owned, waiting } = readiness;
  return {
    ...facts,
    replaced: (detail) => {
      facts.replaced(detail);
      readiness.replaced = detail;
    },
    waiting: (partition, detail) => {
      facts.waiting(partition, detail);
      if (detail === null) waiting.delete(partition);
      else waiting.set(partition, detail);
    },
    assigned: (partition) => {
      facts.assigned(partition);
      owned.add(partition);
    },
    lost: (partition) => {
      facts.lost(partition);
      owned.delete(partition);
      waiting.delete(partition);
    },
  };
}

/** One that stands by is ready: it judges as soon as the others are gone, and to restart it would change nothing. */
export function partitionsCheck({ owned, waiting }: Readiness): { ok: boolean; detail: string } {
  if (owned.size === 0) {
    return { ok: true, detail: 'None is assigned: other detectors judge, this one joins or stands by.' };
  }
  const detail = [...waiting].map(([partition, why]) => `Partition ${partition} waits: ${why}`).join(' ');
  return { ok: waiting.size === 0, detail };
}

interface Watch {
  readonly time: Pick<Time, 'every'>;
  readonly logger: Pick<Logger, 'info'>;
  /** Aborts when the detector closes. */
  readonly signal: AbortSignal;
}

/** Says once that a detector has joined and got nothing. */
export function sayStandby(readiness: Readiness, { time, logger, signal }: Watch): void {
  const said = new AbortController();
  const look = (): void => {
    said.abort();
    if (readiness.owned.size === 0 && readiness.replaced === null) logger.info(STANDBY);
  };
  time.every(STANDBY_MS, look, AbortSignal.any([signal, said.signal]));
}

const STANDBY = 'No partition is assigned: other detectors of the group judge, this one stands by.';
