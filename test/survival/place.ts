import { join } from 'node:path';
import { published, subjectOf } from '@loopwarden/schemas';
import type { Log } from '@loopwarden/stream';
import { openEmbeddedLog } from '@loopwarden/stream/embedded';
import { kafkaLog, writeSchemaIds } from '@loopwarden/stream/kafka';

/** Where the log of a trial is, as every process of it is told. */
export type Place =
  | {
      readonly kind: 'embedded';
      readonly dir: string;
      readonly prefix: string;
      /** Milliseconds; null: what the product waits. */
      readonly takeoverMs: number | null;
      /** What the log may take on disk; absent: what there is. */
      readonly maxBytes?: number;
    }
  | {
      readonly kind: 'kafka';
      readonly brokers: readonly string[];
      readonly prefix: string;
      readonly takeoverMs: number | null;
    };

export const PARTITIONS = 12;

export async function openPlace(place: Place): Promise<Log> {
  const { takeoverMs } = place;
  if (place.kind === 'embedded') {
    const { dir, maxBytes } = place;
    const bound = maxBytes === undefined ? {} : { maxBytes };
    return openEmbeddedLog({ dir, ...bound, ...(takeoverMs === null ? {} : { leaseMs: takeoverMs }) });
  }
  const timings = takeoverMs === null ? {} : { session: takeoverMs, heartbeat: takeoverMs / 5 };
  return kafkaLog({ brokers: place.brokers, timings });
}

/** The settings by which commands find the place. */
export function flagsOf(place: Place, folder: string): readonly string[] {
  const { kind, prefix } = place;
  const where =
    place.kind === 'embedded'
      ? { 'data-dir': place.dir }
      : { 'kafka-brokers': place.brokers.join(','), 'registry-id-file': idFile(folder) };
  const settings = { log: kind, 'topics-prefix': prefix, 'topics-partitions': PARTITIONS, ...where };
  return Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
}

/** Ids as on an embedded log: no registry takes part, and frames are the same everywhere. */
export async function writeIds({ prefix }: Place, folder: string): Promise<void> {
  const ids = published.map(({ record, embeddedId }, at) => ({
    subject: subjectOf(record, prefix),
    version: published.slice(0, at + 1).filter((other) => other.record === record).length,
    id: embeddedId,
  }));
  await writeSchemaIds(idFile(folder), ids);
}

function idFile(folder: string): string {
  return join(folder, 'ids.json');
}
