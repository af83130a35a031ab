import {
  type Judgement,
  judge,
  openPartition,
  type Partition,
  type ReadEvent,
  renewPartition,
  type Verdict,
} from '@loopwarden/detection';
import type { InRecord } from '@loopwarden/stream';
import { type OperatorKeys, readEventRecord } from '@loopwarden/wire';
import type { OpenedLog } from '../open-log.ts';
import { learnSchema } from '../records/read-records.ts';
import type { FoldStart } from './fold-start.ts';

interface FoldOptions {
  readonly start: FoldStart;
  readonly lineage: number;
  /** Runs kept in memory, as in the detector. */
  readonly maxRuns: number;
  /** Only this run, and policies; null: all runs. */
  readonly runId: string | null;
  readonly keys: OperatorKeys | null;
}

/** A record that was judged. */
export interface Judged {
  readonly event: ReadEvent;
  readonly judgement: Judgement;
}

/** The run id of what belongs to no run (wire contract, section 5). */
const EVERY_RUN = Buffer.from('*');

const NO_CONCERN: Judgement = { verdicts: [], notes: [] };

/** A second judgement of one partition's events, as a detector makes it. */
export class Fold {
  readonly partition: Partition;
  readonly #opened: OpenedLog;
  readonly #keys: OperatorKeys | null;
  readonly #runId: string | null;
  readonly #key: Buffer | null;

  constructor(opened: OpenedLog, { start, lineage, maxRuns, runId, keys }: FoldOptions) {
    const { policy, revision } = start;
    this.partition = openPartition({ policy, revision: revision?.revision ?? -1, lineage, maxRuns });
    this.#opened = opened;
    this.#keys = keys;
    this.#runId = runId;
    this.#key = runId === null ? null : Buffer.from(runId);
  }

  /** Whether a record can say anything here. A record is keyed by its run, a policy by `*` or not at all. */
  concerns({ key }: InRecord): boolean {
    return this.#key === null || key === null || this.#key.equals(key) || EVERY_RUN.equals(key);
  }

  /** Null: the record is no event. At once, unless its schema must be looked up. */
  judge(record: InRecord): Judged | null | Promise<Judged | null> {
    const read = readEventRecord(this.#opened.codec, record, this.#keys);
    if (read.ok) return this.#fold(read.value, record.timestamp);
    return read.code === 'unknown_schema' ? this.#learn(record) : null;
  }

  /** Begins a new lineage here; what stands is said anew. */
  renew(lineage: number): readonly Verdict[] {
    return renewPartition(this.partition, lineage);
  }

  #fold(event: ReadEvent, at: number): Judged {
    const concerns = this.#runId === null || event.runId === this.#runId || event.type === 'policy';
    return { event, judgement: concerns ? judge(this.partition, event, at) : NO_CONCERN };
  }

  async #learn(record: InRecord): Promise<Judged | null> {
    await learnSchema(this.#opened, record);
    const read = readEventRecord(this.#opened.codec, record, this.#keys);
    return read.ok ? this.#fold(read.value, record.timestamp) : null;
  }
}
