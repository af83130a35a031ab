import type { InRecord, Log } from '@loopwarden/stream';

/** Topics whose records nobody replaces. */
type Followed = 'events' | 'control' | 'dead-letters' | 'policies';

/** A topic has lost records that nobody had read. */
export class Hole extends Error {}

/** What stood in the topics of a trial, also what they have lost since. */
export class Recollection {
  readonly #log: Log;
  readonly #prefix: string;
  readonly #kept = new Map<string, InRecord[]>();

  constructor(log: Log, prefix: string) {
    this.#log = log;
    this.#prefix = prefix;
  }

  /** What is remembered of a partition: each record at the place of its offset. */
  records(name: Followed, partition: number): readonly InRecord[] {
    return this.#of(name, partition);
  }

  /** Reads what a topic holds besides. Rejects with a `Hole` where it cannot. */
  async catchUp(name: Followed): Promise<void> {
    for (const { partition } of await this.#log.reader.ranges(`${this.#prefix}${name}`)) {
      const kept = this.#of(name, partition);
      const read = { topic: `${this.#prefix}${name}`, partition, until: 'end' } as const;
      for await (const { records } of this.#log.reader.read({ ...read, from: { offset: kept.length } }))
        for (const record of records) {
          if (record.offset !== kept.length) throw new Hole(`${name} has a hole before ${record.offset}.`);
          kept.push(record);
        }
    }
  }

  #of(name: Followed, partition: number): InRecord[] {
    const key = `${name} ${partition}`;
    const kept = this.#kept.get(key) ?? [];
    this.#kept.set(key, kept);
    return kept;
  }
}
