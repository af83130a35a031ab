import { readCommitMetadata } from '@loopwarden/detector/parts';
import type { InRecord, Log } from '@loopwarden/stream';
import { checkControl } from '../simulation/check-control.ts';
import { checkDeadLetters, checkReader } from '../simulation/check-standings.ts';
import { type Claim, openLedger } from '../simulation/ledger.ts';
import type { Seen } from '../simulation/world.ts';
import { codec, memoryBroker, TOPICS } from '../station.ts';
import type { LoadReport } from './load-process.ts';
import { PARTITIONS, type Place } from './place.ts';

const LOOK_MS = 250;

/** What the topics of a trial say, beside what a plain fold of its events makes of them. */
export interface Testimony {
  /** Empty: nothing is wrong. */
  readonly wrongs: readonly string[];
  readonly events: number;
  /** Verdict records, and how many say what one before has said. */
  readonly verdicts: number;
  readonly repeated: number;
  /** Lineages after the first one. */
  readonly lineages: number;
  readonly commits: number;
}

/** One who watches commits while a trial goes on, and reads all topics after it. */
export class Witness {
  readonly #log: Log;
  readonly #place: Place;
  readonly #group: string;
  readonly #claims: Claim[][] = Array.from({ length: PARTITIONS }, () => []);
  readonly #timer: NodeJS.Timeout;
  #looking: Promise<void> | null = null;

  constructor(log: Log, { place, group }: { place: Place; group: string }) {
    this.#log = log;
    this.#place = place;
    this.#group = group;
    this.#timer = setInterval(() => {
      // A log that is away has nothing to see.
      this.#looking ??= this.#look()
        .catch(() => undefined)
        .finally(() => {
          this.#looking = null;
        });
    }, LOOK_MS);
  }

  /** Partitions of which not everything is judged and committed. */
  async behind(): Promise<number> {
    const committed = await this.#log.reader.committed(this.#group, this.#topic('events'));
    const ranges = await this.#log.reader.ranges(this.#topic('events'));
    return ranges.filter(({ partition, end }) => (committed.get(partition)?.offset ?? 0) < end).length;
  }

  /** Reads everything and compares it, when the trial has settled. */
  async testify(load: LoadReport): Promise<Testimony> {
    clearInterval(this.#timer);
    await this.#looking;
    await this.#look();
    const world = await this.#recall();
    const runs = load.sequences.map(([runId]) => runId);
    const partitions = Array.from({ length: PARTITIONS }, (_, partition) => partition);
    const wrongs = [
      ...lostEvents(world, load),
      ...partitions.flatMap((partition) => checkControl(world, partition)),
      ...checkReader(world, runs),
      ...checkDeadLetters(world),
    ];
    return { wrongs, ...countControl(world), commits: this.#claims.flat().length };
  }

  #topic(name: string): string {
    return `${this.#place.prefix}${name}`;
  }

  /** Commits first: what they claim stands in control then. */
  async #look(): Promise<void> {
    const committed = await this.#log.reader.committed(this.#group, this.#topic('events'));
    const control = await this.#log.reader.ranges(this.#topic('control'));
    for (const [partition, { offset, metadata }] of committed) {
      const claims = this.#claims[partition];
      const lineage = readCommitMetadata(metadata)?.lineage ?? -1;
      const end = control[partition]?.end ?? 0;
      if (claims?.at(-1)?.offset !== offset) claims?.push({ what: 'commit', lineage, offset, control: end });
    }
  }

  /** The topics as the checks of simulated worlds take them. */
  async #recall(): Promise<Seen> {
    const broker = memoryBroker(PARTITIONS);
    const ledger = openLedger(PARTITIONS, 200_000);
    for (const name of ['control', 'dead-letters', 'events'] as const) {
      const topic = name === 'dead-letters' ? TOPICS.deadLetters : TOPICS[name];
      for await (const record of this.#records(name)) {
        const at = broker.partition(topic, record.partition);
        at.append({ ...record, topic }, { now: record.timestamp, timestamps: 'create' });
        const kept = at.records.at(-1);
        if (kept?.offset !== record.offset) throw new Error(`${name} has a hole before ${record.offset}.`);
        if (name === 'events') ledger.pages[record.partition]?.events.push(kept);
      }
    }
    ledger.pages.forEach(({ claims }, at) => void claims.push(...(this.#claims[at] ?? [])));
    return { broker, ledger, partitions: PARTITIONS };
  }

  async *#records(name: string): AsyncGenerator<InRecord> {
    const { reader } = this.#log;
    const topic = this.#topic(name);
    for (const { partition } of await reader.ranges(topic)) {
      const whole = { topic, partition, from: 'start', until: 'end' } as const;
      for await (const { records } of reader.read(whole)) yield* records;
    }
  }
}

/** Every event that was acknowledged stands in the log, in the order of its run. */
function lostEvents({ ledger }: Seen, { sequences, garbage }: LoadReport): readonly string[] {
  const heights = new Map<string, number>();
  const wrongs: string[] = [];
  let unread = 0;
  for (const { value } of ledger.pages.flatMap(({ events }) => events)) {
    const event = codec.decodeEvent(value ?? new Uint8Array());
    if (!event.ok) unread += 1;
    else if (event.value.type !== 'policy') {
      const { runId, sequence } = event.value;
      const height = heights.get(runId) ?? 0;
      if (sequence > height + 1) wrongs.push(`${runId} goes from event ${height} to ${sequence}`);
      heights.set(runId, Math.max(height, sequence));
    }
  }
  for (const [runId, sequence] of sequences)
    if (heights.get(runId) !== sequence)
      wrongs.push(`${runId} ends at ${heights.get(runId)}, not ${sequence}`);
  if (unread < garbage) wrongs.push(`${garbage - unread} records that are no events were lost`);
  return wrongs;
}

function countControl({ broker, ledger }: Seen) {
  const bodies = new Set<string>();
  const lineages = new Set<string>();
  let verdicts = 0;
  for (let partition = 0; partition < PARTITIONS; partition += 1) {
    for (const { value, headers } of broker.records(TOPICS.control, partition)) {
      const lineage = `${headers['lw-lineage']}`;
      if (lineage !== '0') lineages.add(`${partition} ${lineage}`);
      const control = codec.decodeControl(value ?? new Uint8Array());
      if (!control.ok || control.value.type !== 'verdict') continue;
      verdicts += 1;
      bodies.add(`${lineage} ${Buffer.from(value ?? []).toString('base64')}`);
    }
  }
  const events = ledger.pages.reduce((sum, page) => sum + page.events.length, 0);
  return { events, verdicts, repeated: verdicts - bodies.size, lineages: lineages.size };
}
