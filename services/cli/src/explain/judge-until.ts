import {
  type ExplainedRecord,
  type ExplainedRun,
  explainRun,
  type Note,
  type ReadEvent,
  type Verdict,
} from '@loopwarden/detection';
import type { InRecord } from '@loopwarden/stream';
import type { OpenedLog } from '../open-log.ts';
import type { Fold, Judged } from '../recompute/fold.ts';
import type { FoldStart } from '../recompute/fold-start.ts';
import type { Lineages } from '../recompute/lineages.ts';
import type { HeardCall, Place } from './evidence.ts';
import { isNamed, type VerdictName } from './verdict-name.ts';

/** Calls and results that are remembered: far more than any window holds. */
const HEARD = 20_000;

/** Since when a policy was in force in the run's partition; null: since before what was read. */
interface Effective {
  readonly revision: number;
  readonly since: Place | null;
}

/** A verdict at the moment when it came. */
export interface Moment {
  readonly verdict: Verdict;
  /** The event that led to it; null: a renewal. */
  readonly trigger: (Place & { readonly event: ReadEvent }) | null;
  /** The run when the verdict had come. */
  readonly run: ExplainedRun;
  /** Its window; where the event emptied it, as it was just before. */
  readonly window: readonly ExplainedRecord[];
  readonly heard: readonly HeardCall[];
  readonly policy: Effective;
}

interface Judging {
  readonly fold: Fold;
  readonly start: FoldStart;
  readonly lineages: Lineages;
  readonly partition: number;
  /** Exclusive end offset. */
  readonly end: number;
}

/** Judges a run's events again until a verdict comes; null: it does not. */
export async function judgeUntil(
  opened: OpenedLog,
  name: VerdictName,
  judging: Judging,
): Promise<Moment | null> {
  const { partition, start, end } = judging;
  const watch = new Watch(name, judging);
  const read = { topic: opened.topics.events, partition, from: { offset: start.from }, until: end };
  for await (const { records } of opened.log.reader.read(read)) {
    for (const record of records) {
      const found = watch.renewed(record.offset) ?? (await watch.take(record));
      if (found !== null) return found;
      if (watch.isPast) return null;
    }
  }
  return null;
}

/** One run under judgement, and what is kept of it. */
class Watch {
  readonly #name: VerdictName;
  readonly #of: Judging;
  #heard: HeardCall[] = [];
  #policy: Effective;
  #next;
  #epoch = 0;

  constructor(name: VerdictName, judging: Judging) {
    const { start, lineages } = judging;
    this.#name = name;
    this.#of = judging;
    this.#policy = { revision: start.revision?.revision ?? -1, since: null };
    this.#next = lineages.nextAfter(start.from);
  }

  /** A later epoch of the run has begun. */
  get isPast(): boolean {
    return this.#epoch > this.#name.epoch;
  }

  /** Begins the lineages that take charge at the offset or below. */
  renewed(offset: number): Moment | null {
    while (this.#next !== null && this.#next.from <= offset) {
      const { lineage, from } = this.#next;
      this.#next = this.#of.lineages.nextAfter(from);
      const found = this.#found(this.#of.fold.renew(lineage), { trigger: null, before: null });
      if (found !== null) return found;
    }
    return null;
  }

  async take(record: InRecord): Promise<Moment | null> {
    const { fold } = this.#of;
    if (!fold.concerns(record)) return null;
    const before = explainRun(fold.partition, this.#name.runId);
    const judged = await fold.judge(record);
    if (judged === null) return null;
    const place = { offset: record.offset, at: record.timestamp };
    this.#note(judged, place);
    const trigger = { ...place, event: judged.event };
    return this.#found(judged.judgement.verdicts, { trigger, before });
  }

  #note({ event, judgement: { notes } }: Judged, place: Place): void {
    if (event.type === 'policy' && has(notes, 'policy'))
      this.#policy = { revision: event.revision, since: place };
    if (event.type !== 'tool_call' && event.type !== 'tool_result') return;
    if (event.runId !== this.#name.runId || has(notes, 'duplicate') || has(notes, 'late')) return;
    this.#heard.push({ ...place, event });
    if (this.#heard.length > 2 * HEARD) this.#heard = this.#heard.slice(-HEARD);
  }

  #found(
    verdicts: readonly Verdict[],
    { trigger, before }: Pick<Moment, 'trigger'> & { readonly before: ExplainedRun | null },
  ): Moment | null {
    const after = explainRun(this.#of.fold.partition, this.#name.runId);
    this.#epoch = after?.epoch ?? this.#epoch;
    const verdict = verdicts.find((candidate) => isNamed(candidate, this.#name));
    if (verdict === undefined || after === null) return null;
    const window = after.window.length > 0 ? after.window : (before?.window ?? []);
    return { verdict, trigger, run: after, window, heard: this.#heard, policy: this.#policy };
  }
}

function has(notes: readonly Note[], kind: Note['kind']): boolean {
  return notes.some((note) => note.kind === kind);
}
