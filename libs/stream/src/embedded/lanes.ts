import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Drift, TopicSpec } from '../log.ts';
import { refuseUnknown } from '../record-bytes.ts';
import { remainingDrift, topicDrift } from '../topic-drift.ts';
import { createRecordTable } from './schema.ts';

/** Where a partition's records are kept. Numbers and partition counts never change once a topic is there. */
interface TopicLanes {
  readonly id: number;
  /** Lane numbers by partition. */
  readonly lanes: readonly number[];
}

interface TopicRow extends TopicSpec {
  readonly id: number;
}

/** The topics of a log and their lanes. Methods that change something belong in a transaction. */
export class Lanes {
  readonly #known = new Map<string, TopicLanes>();
  readonly #db: DatabaseSync;
  readonly #topic: StatementSync;
  readonly #lanes: StatementSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#topic = db.prepare('SELECT * FROM topic WHERE name = ?');
    this.#lanes = db.prepare('SELECT id FROM lane WHERE topic = ? ORDER BY partition');
  }

  /** Throws a `refused` where there is no such topic. */
  topic(name: string): TopicLanes {
    const known = this.#known.get(name) ?? this.#find(name);
    if (known === undefined) return refuseUnknown(name, 0, undefined) as never;
    this.#known.set(name, known);
    return known;
  }

  /** Throws a `refused` where there is no such partition. */
  lane(topic: string, partition: number): number {
    const { lanes } = this.topic(topic);
    refuseUnknown(topic, partition, lanes.length);
    return lanes[partition] as number;
  }

  names(): readonly string[] {
    const rows = this.#db.prepare('SELECT name FROM topic ORDER BY name').all();
    return rows.map(({ name }) => String(name));
  }

  plan(topics: readonly TopicSpec[]): readonly Drift[] {
    return topics.flatMap((declared) => topicDrift(declared, this.#row(declared.name)));
  }

  apply(topics: readonly TopicSpec[]): readonly Drift[] {
    const drift = this.plan(topics);
    const create = this.#db.prepare(
      'INSERT INTO topic (name, partitions, cleanup, retentionMs, timestamps) VALUES (?, ?, ?, ?, ?)',
    );
    const addLane = this.#db.prepare('INSERT INTO lane (topic, partition) VALUES (?, ?)');
    const change = this.#db.prepare(
      'UPDATE topic SET cleanup = ?, retentionMs = ?, timestamps = ? WHERE name = ?',
    );
    for (const { name, partitions, cleanup, retentionMs, timestamps } of topics) {
      if (this.#row(name) !== undefined) {
        change.run(cleanup, retentionMs, timestamps, name);
        continue;
      }
      const topic = create.run(name, partitions, cleanup, retentionMs, timestamps).lastInsertRowid;
      for (let partition = 0; partition < partitions; partition += 1) {
        const lane = Number(addLane.run(topic, partition).lastInsertRowid);
        this.#db.exec(createRecordTable(lane));
      }
    }
    return remainingDrift(drift);
  }

  #row(name: string): TopicRow | undefined {
    return this.#topic.get(name) as TopicRow | undefined;
  }

  #find(name: string): TopicLanes | undefined {
    const row = this.#row(name);
    if (row === undefined) return undefined;
    return { id: row.id, lanes: this.#lanes.all(row.id).map(({ id }) => Number(id)) };
  }
}
