import { hear, hearMark, openStandings, type Standings } from '@loopwarden/detection';
import type { InRecord } from '@loopwarden/stream';
import { type Control, readLineage } from '@loopwarden/wire';
import { codec, TOPICS } from '../station.ts';
import type { Seen } from './world.ts';

/** One gateway's ear on the control topic (wire contract, section 9). */
export interface Ear {
  readonly standings: Standings;
  /** Next offset to hear, by partition. */
  readonly positions: number[];
  /** Runs of which verdicts were missed since the last look. */
  readonly gaps: Set<string>;
}

/** @param from `start`: as a reader who was there from the beginning; `end`: as a gateway that starts now */
export function openEar({ broker, partitions }: Seen, from: 'start' | 'end'): Ear {
  const end = (partition: number): number => broker.partition(TOPICS.control, partition).range.end;
  const positions = Array.from({ length: partitions }, (_, at) => (from === 'start' ? 0 : end(at)));
  return { standings: openStandings(), positions, gaps: new Set() };
}

/** Hears what stands in the control topic, all of it or up to so many records of each partition. */
export function listen({ broker }: Seen, ear: Ear, limit = Number.POSITIVE_INFINITY): void {
  ear.positions.forEach((position, partition) => {
    const news = broker.records(TOPICS.control, partition).slice(position, position + limit);
    ear.positions[partition] = position + news.length;
    for (const record of news) hearRecord(ear, record);
  });
}

function hearRecord({ standings, gaps }: Ear, record: InRecord): void {
  const lineage = readLineage(record.headers) ?? 0;
  const control = controlOf(record);
  if (control.type === 'mark') hearMark(standings, control.mark, lineage);
  else if (control.type === 'verdict') {
    const { partition } = record;
    if (hear(standings, control.verdict, { partition, lineage }).gap) gaps.add(control.verdict.runId);
  }
}

const decoded = new WeakMap<InRecord, Control>();

/** A control record, decoded once however many ears hear it. */
export function controlOf(record: InRecord): Control {
  const known = decoded.get(record);
  if (known !== undefined) return known;
  const read = codec.decodeControl(record.value ?? new Uint8Array());
  if (!read.ok) throw new Error(`A control record cannot be read: ${read.detail}`);
  decoded.set(record, read.value);
  return read.value;
}
