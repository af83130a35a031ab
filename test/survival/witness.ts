import { readCommitMetadata } from '@loopwarden/detector/parts';
import type { Log } from '@loopwarden/stream';
import { checkControl } from '../simulation/check-control.ts';
import { checkDeadLetters, checkReader } from '../simulation/check-standings.ts';
import { type Claim, openLedger } from '../simulation/ledger.ts';
import type { Seen } from '../simulation/world.ts';
import { codec, memoryBroker, TOPICS } from '../station.ts';
import { type Beginning, noteOrigin } from './beginnings.ts';
import { checkDecisions } from './check-decisions.ts';
import { checkEvents } from './check-events.ts';
import type { LoadReport } from './load-process.ts';
import { PARTITIONS, type Place } from './place.ts';
import { Hole, Recollection } from './recollection.ts';
import { readManifests } from './states.ts';

const LOOK_MS = 250;

/** What the topics of a trial say, beside what a plain fold of its events makes of them. */
export interface Testimony {
  /** Empty: nothing is wrong. */
  readonly wrongs: readonly string[];
  readonly events: number;
  /** Verdict records, how many say what one before has said, and how many were renewed. */
  readonly verdicts: number;
  readonly repeated: number;
  readonly renewed: number;
  /** Lineages after the first one. */
  readonly lineages: number;
  readonly commits: number;
  /** Runs whose decisions were compared with those of a detector that nobody disturbed. */
  readonly compared: number;
}

/**
 * One who watches commits while a trial goes on, and reads all topics after it; of a log that is bounded, and
 * forgets, all the time.
 */
export class Witness {
  readonly #log: Log;
  readonly #place: Place;
  readonly #group: string;
  readonly #seen: Recollection;
  readonly #claims: Claim[][] = Array.from({ length: PARTITIONS }, () => []);
  readonly #snapshots = new Set<string>();
  readonly #wrongs: string[] = [];
  readonly #timer: NodeJS.Timeout;
  #looking: Promise<void> | null = null;

  constructor(log: Log, { place, group }: { place: Place; group: string }) {
    this.#log = log;
    this.#place = place;
    this.#group = group;
    this.#seen = new Recollection(log, place.prefix);
    this.#timer = setInterval(() => {
      // A log that is away has nothing to see.
      const isBounded = place.kind === 'embedded' && place.maxBytes !== undefined;
      this.#looking ??= (isBounded ? this.#look().then(() => this.remember()) : this.#look())
        .catch((failure: unknown) => this.#missed(failure))
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

  /** Reads all that stands now, before a topic may lose it. */
  async remember(): Promise<void> {
    for (const name of ['events', 'policies', 'dead-letters'] as const) await this.#seen.catchUp(name);
    const states = await readManifests(this.#log, this.#topic('state'));
    await this.#seen.catchUp('control');
    for (const { partition, lineage, snapshot, coveredOffset: offset } of states) {
      if (this.#snapshots.has(snapshot)) continue;
      this.#snapshots.add(snapshot);
      const control = this.#seen.records('control', partition).length;
      this.#claims[partition]?.push({ what: 'state', lineage, offset, control });
    }
  }

  /** When each event was written, by partition and offset, as far as it is remembered. */
  times(): readonly (readonly number[])[] {
    return this.#claims.map((_, partition) =>
      this.#seen.records('events', partition).map(({ timestamp }) => timestamp),
    );
  }

  /**
   * Reads everything and compares it, when the trial has settled.
   * @param beginnings of lineages, as the detectors say
   */
  async testify(load: LoadReport, beginnings: readonly Beginning[] = []): Promise<Testimony> {
    clearInterval(this.#timer);
    await this.#looking;
    await this.#look();
    await this.remember();
    const { world, wrongs } = this.#recall(beginnings);
    const runs = load.sequences.map(([runId]) => runId);
    const decisions = checkDecisions(world, runs);
    wrongs.push(
      ...checkEvents(world, load),
      ...this.#claims.flatMap((_, partition) => checkControl(world, partition)),
      ...checkReader(world, runs),
      ...decisions.wrongs,
      ...checkDeadLetters(world),
    );
    const commits = this.#claims.flat().filter(({ what }) => what === 'commit').length;
    return { wrongs, ...countControl(world), commits, compared: decisions.compared };
  }

  /** Of what a topic has lost nobody can say whether it was right. */
  #missed(failure: unknown): void {
    if (failure instanceof Hole) this.#wrongs.push(failure.message);
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
      const last = claims?.findLast(({ what }) => what === 'commit');
      if (last?.offset !== offset || last.lineage !== lineage)
        claims?.push({ what: 'commit', lineage, offset, control: end });
    }
  }

  /** The topics as the checks of simulated worlds take them. */
  #recall(beginnings: readonly Beginning[]): { world: Seen; wrongs: string[] } {
    const broker = memoryBroker(PARTITIONS);
    const ledger = openLedger(PARTITIONS, 200_000);
    const wrongs: string[] = [...this.#wrongs];
    ledger.policies.push(...this.#seen.records('policies', 0));
    for (const name of ['control', 'dead-letters'] as const) {
      const topic = name === 'dead-letters' ? TOPICS.deadLetters : TOPICS[name];
      for (let partition = 0; partition < PARTITIONS; partition += 1)
        for (const record of this.#seen.records(name, partition))
          broker
            .partition(topic, partition)
            .append({ ...record, topic }, { now: record.timestamp, timestamps: 'create' });
    }
    ledger.pages.forEach((pages, partition) => {
      pages.events.push(...this.#seen.records('events', partition));
      pages.claims.push(...(this.#claims[partition] ?? []));
      const own = beginnings.filter((one) => one.partition === partition);
      for (const beginning of own) wrongs.push(...noteOrigin(pages, beginning));
    });
    return { world: { broker, ledger, partitions: PARTITIONS }, wrongs };
  }
}

function countControl({ broker, ledger }: Seen) {
  const bodies = new Set<string>();
  const lineages = new Set<string>();
  let verdicts = 0;
  let renewed = 0;
  for (let partition = 0; partition < PARTITIONS; partition += 1) {
    for (const { value, headers } of broker.records(TOPICS.control, partition)) {
      const lineage = `${headers['lw-lineage']}`;
      if (lineage !== '0') lineages.add(`${partition} ${lineage}`);
      const control = codec.decodeControl(value ?? new Uint8Array());
      if (!control.ok || control.value.type !== 'verdict') continue;
      verdicts += 1;
      renewed += Number(control.value.verdict.trigger.source === 'renewal');
      bodies.add(`${lineage} ${Buffer.from(value ?? []).toString('base64')}`);
    }
  }
  const events = ledger.pages.reduce((sum, page) => sum + page.events.length, 0);
  return { events, verdicts, repeated: verdicts - bodies.size, renewed, lineages: lineages.size };
}
