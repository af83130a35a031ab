import { partitionOf } from '@loopwarden/stream';
import type { OpenedLog } from '../open-log.ts';
import { readDeadEvents } from './dead-events.ts';
import { PartitionReplay } from './partition-replay.ts';
import { type PreparedReplay, prepareReplay } from './prepare-replay.ts';
import type { ReplayListener } from './replay-listener.ts';
import type { PartitionSpan, ReplaySettings } from './replay-settings.ts';
import { openTally, type Tally } from './tally.ts';

/** Partitions that are judged side by side: enough to hide the network, few enough to be held in memory. */
const SIDE_BY_SIDE = 12;

interface LogReplayOptions {
  readonly settings: ReplaySettings;
  /** Events before this time are looked at, epoch milliseconds; null: all. */
  readonly until: number | null;
  readonly listener: ReplayListener;
  /** Called once with all records to read, then as they are read. */
  readonly progress: { readonly begin: (total: number) => void; readonly add: (records: number) => void };
}

/**
 * Judges what the log holds again and compares it with what was published, partitions side by side. Writes
 * nothing.
 */
export async function replayLog(opened: OpenedLog, options: LogReplayOptions): Promise<Tally> {
  const { settings, listener, progress } = options;
  const tally = openTally();
  const spans = await spansOf(opened, options);
  const dead = await readDeadEvents(opened, settings.since);
  const prepared = await sideBySide(spans, (span) => prepareReplay(opened, span, settings));
  progress.begin(prepared.reduce((sum, { span, start }) => sum + Math.max(0, span.end - start.from), 0));
  await sideBySide(prepared, (one: PreparedReplay) => {
    const own = { prepared: one, settings, dead: dead(one.span.partition), listener, tally };
    return new PartitionReplay(opened, own).run(progress.add);
  });
  return tally;
}

/** The partitions with events to look at. */
async function spansOf(
  { log, topics }: OpenedLog,
  { settings: { since, runId }, until }: LogReplayOptions,
): Promise<readonly PartitionSpan[]> {
  const ranges = await log.reader.ranges(topics.events);
  const firsts = since === 0 ? null : await log.reader.offsetsAt(topics.events, since);
  const ends = until === null ? null : await log.reader.offsetsAt(topics.events, until);
  const own = runId === null ? null : partitionOf(runId, ranges.length);
  return ranges
    .filter(({ partition }) => own === null || own === partition)
    .map(({ partition, start, end }) => ({
      partition,
      start,
      first: Math.max(start, firsts?.get(partition) ?? start),
      end: Math.min(end, ends?.get(partition) ?? end),
    }))
    .filter(({ first, end }) => first < end);
}

/** Works on a few at a time, in order. */
async function sideBySide<Of, Done>(
  all: readonly Of[],
  work: (of: Of) => Promise<Done>,
): Promise<readonly Done[]> {
  const done: Done[] = [];
  const waiting = all.entries();
  const worker = async (): Promise<void> => {
    for (const [index, of] of waiting) done[index] = await work(of);
  };
  await Promise.all(Array.from({ length: Math.min(SIDE_BY_SIDE, all.length) }, worker));
  return done;
}
