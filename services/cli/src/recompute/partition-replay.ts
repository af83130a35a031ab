import type { Verdict } from '@loopwarden/detection';
import type { InRecord } from '@loopwarden/stream';
import type { OpenedLog } from '../open-log.ts';
import { type Compared, Comparison } from './comparison.ts';
import { ControlFeed } from './control-feed.ts';
import type { SaidVerdict } from './control-records.ts';
import type { DeadEvents } from './dead-events.ts';
import { Fold, type Judged } from './fold.ts';
import type { Lineage } from './lineages.ts';
import { CLOCK_SLACK_MS, type PreparedReplay } from './prepare-replay.ts';
import type { ReplayListener } from './replay-listener.ts';
import type { ReplaySettings } from './replay-settings.ts';
import type { Tally } from './tally.ts';
import { WhatIf } from './what-if.ts';

interface PartitionReplayOptions {
  readonly prepared: PreparedReplay;
  readonly settings: ReplaySettings;
  /** Codes of the partition's dead letters, by offset. */
  readonly dead: DeadEvents;
  readonly listener: ReplayListener;
  readonly tally: Tally;
}

/** A verdict, or an event; a policy is of no agent. */
interface Whose {
  readonly runId: string;
  readonly agentId?: string | null;
}

/** Judges one partition's span again, beside what was published of it. */
export class PartitionReplay {
  readonly #opened: OpenedLog;
  readonly #of: PartitionReplayOptions;
  readonly #fold: Fold;
  readonly #comparison: Comparison;
  readonly #feed: ControlFeed;
  readonly #whatIf: WhatIf | null;
  /** The lineage that takes charge next. */
  #next: Lineage | null;

  constructor(opened: OpenedLog, options: PartitionReplayOptions) {
    const { prepared, settings, listener, tally } = options;
    const { start, survey, span } = prepared;
    const { lineages, judged } = survey;
    const { maxRuns, other: policy, since } = settings;
    this.#opened = opened;
    this.#of = options;
    this.#fold = new Fold(opened, { ...settings, start, lineage: lineages.inCharge(start.from) });
    this.#next = lineages.nextAfter(start.from);
    this.#comparison = new Comparison((compared) => this.#found(compared), { judged });
    const from = { timestamp: Math.max(0, since - CLOCK_SLACK_MS) };
    const reading = { partition: span.partition, from, lineages };
    this.#feed = new ControlFeed(opened, reading, {
      verdict: (said, offset) => this.#published(said, offset),
      tally,
    });
    this.#whatIf = policy === null ? null : new WhatIf(listener, { policy, maxRuns, first: span.first });
  }

  /** @param progress told how many records each step took */
  async run(progress: (records: number) => void): Promise<void> {
    const { span, start } = this.#of.prepared;
    const { partition, first, end } = span;
    const topic = this.#opened.topics.events;
    const read = { topic, partition, from: { offset: start.from }, until: end } as const;
    for await (const { records } of this.#opened.log.reader.read(read)) {
      await this.#judge(records);
      progress(records.length);
      const until = (records.at(-1)?.offset ?? 0) + 1;
      if (until > first) await this.#settle(until);
    }
    await this.#settle(end);
    this.#whatIf?.finish();
    this.#of.tally.repeated += this.#comparison.repeated;
    await this.#feed.close();
  }

  async #judge(records: readonly InRecord[]): Promise<void> {
    for (const record of records) {
      this.#renewUpTo(record.offset);
      this.#count(record);
      if (!this.#fold.concerns(record)) continue;
      const judging = this.#fold.judge(record);
      const judged = judging instanceof Promise ? await judging : judging;
      if (judged !== null) this.#take(record, judged);
      else if (this.#isWithin(record.offset)) this.#of.tally.unreadable += 1;
    }
  }

  #renewUpTo(offset: number): void {
    while (this.#next !== null && this.#next.from <= offset) {
      const { lineage, from } = this.#next;
      for (const verdict of this.#fold.renew(lineage)) this.#recomputed(verdict, from);
      this.#next = this.#of.prepared.survey.lineages.nextAfter(from);
    }
  }

  #count({ offset }: InRecord): void {
    if (this.#isWithin(offset)) this.#of.tally.events += 1;
    else this.#of.tally.warmUp += 1;
  }

  #take(record: InRecord, judged: Judged): void {
    const { offset, partition } = record;
    const { event, judgement } = judged;
    if (this.#isWanted(event, offset)) this.#of.tally.wanted += 1;
    for (const verdict of judgement.verdicts) this.#recomputed(verdict, offset);
    this.#whatIf?.take(judged, record);
    const code = this.#of.dead.get(offset);
    if (code === undefined || !this.#isWithin(offset)) return;
    this.#of.listener.revived({ partition, offset, code, runId: event.runId, eventType: event.type });
  }

  #recomputed(verdict: Verdict, offset: number): void {
    if (!this.#isWanted(verdict, offset)) return;
    this.#comparison.recomputed({ verdict, value: this.#opened.codec.encodeVerdict(verdict), offset });
  }

  #published({ verdict, position, publishedAt }: SaidVerdict, offset: number): void {
    if (!this.#isWanted(verdict, offset)) return;
    const value = this.#opened.codec.encodeVerdict(verdict);
    this.#comparison.published({ verdict, value, offset, position, publishedAt });
  }

  async #settle(until: number): Promise<void> {
    await this.#feed.hearUntil(until);
    this.#comparison.settle(until);
  }

  #found(compared: Compared): void {
    const { start, survey, idleMs, span } = this.#of.prepared;
    const { verdict, offset } = compared.recomputed ?? compared.published;
    const lineage = survey.lineages.inCharge(offset);
    this.#of.listener.found({
      ...compared,
      partition: span.partition,
      partial: compared.state !== 'equal' && verdict.epoch - start.knownFrom <= idleMs,
      renewed: lineage > 0 && verdict.epoch === lineage,
    });
  }

  #isWithin(offset: number): boolean {
    const { first, end } = this.#of.prepared.span;
    return offset >= first && offset < end;
  }

  #isWanted({ runId, agentId = null }: Whose, offset: number): boolean {
    const { runId: run, agentId: agent } = this.#of.settings;
    if (!this.#isWithin(offset)) return false;
    return (run === null || run === runId) && (agent === null || agent === agentId);
  }
}
