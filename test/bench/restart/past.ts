import { DEFAULT_POLICY, ENGINE, judge, type LoopEvent, openPartition } from '@loopwarden/detection';
import { keeperOf, SILENT, systemTime, topicNames, writeCommitMetadata } from '@loopwarden/detector/parts';
import { topicsOf } from '@loopwarden/schemas';
import type { Log, OutRecord } from '@loopwarden/stream';
import { fleetEvents } from '../core/fleet.ts';
import { codec, PARTITIONS } from '../service/fleet.ts';

/** What is in the log when a detector starts: a fleet of honest runs with this many calls each, in equal parts. */
export interface Past {
  readonly prefix: string;
  readonly group: string;
  readonly runs: number;
  /** Records in each window. */
  readonly calls: number;
  /** `snapshot`: a whole one, and next to nothing after it. `events`: all of them, and no state. */
  readonly kept: 'snapshot' | 'events';
}

const BATCH = 1_000;
const NEVER = Number.POSITIVE_INFINITY;

/** Makes the topics and fills them, as a detector that was stopped has left them. */
export async function makePast(log: Log, past: Past): Promise<void> {
  const { prefix, kept } = past;
  await log.admin.apply(topicsOf({ prefix, partitions: PARTITIONS }));
  for (let partition = 0; partition < PARTITIONS; partition += 1) {
    await append(log, eventsIn(past, partition));
    if (kept === 'snapshot') await saveSnapshot(log, past, partition);
  }
  await commitEnds(log, past);
}

/** One more call of every run, with its result. */
export async function appendTurn(log: Log, past: Past): Promise<void> {
  for (let partition = 0; partition < PARTITIONS; partition += 1) await append(log, turnIn(past, partition));
}

function* turnIn({ prefix, runs, calls }: Past, partition: number): Generator<OutRecord> {
  const topic = topicNames(prefix).events;
  const share = Math.ceil(runs / PARTITIONS);
  for (const event of fleetEvents({ runs: share, calls: calls + 1, looping: NEVER }))
    if (event.sequence > 2 * calls) yield recordOf(event, { topic, partition });
}

/** One more event in each partition, the first of a run, whose writer waits for a mark. */
export async function probe(log: Log, { prefix }: Past, number: number): Promise<void> {
  const [event] = fleetEvents({ runs: 1, calls: 1, looping: NEVER });
  if (event === undefined) throw new Error('A fleet has an event.');
  const value = codec.encodeEvent({ ...event, runId: `probe-${number}` });
  const headers = { 'lw-mark': '1' };
  const topic = topicNames(prefix).events;
  await append(log, everywhere({ topic, key: null, value, headers }));
}

function everywhere(record: Omit<OutRecord, 'partition'>): readonly OutRecord[] {
  return Array.from({ length: PARTITIONS }, (_, partition) => ({ ...record, partition }));
}

/** A log that keeps no more than the first events of runs whose state is kept. */
function* eventsIn({ prefix, runs, calls, kept }: Past, partition: number): Generator<OutRecord> {
  const topic = topicNames(prefix).events;
  const share = kept === 'events' ? Math.ceil(runs / PARTITIONS) : 1;
  yield recordOf(POLICY, { topic, partition });
  for (const event of fleetEvents({ runs: share, calls, looping: NEVER }))
    yield recordOf(event, { topic, partition });
}

/** Detectors with their default thresholds and window. */
const POLICY: LoopEvent = {
  ...{ type: 'policy', runId: '*', agentId: null, sessionId: null, gatewayId: 'operator', source: 'policy' },
  ...{ sequence: 1, observedAt: 0, revision: 1, actor: 'bench', reason: 'bench' },
  policy: JSON.stringify({ tools: { loopDetection: { enabled: true } } }),
};

function recordOf(event: LoopEvent, at: { topic: string; partition: number }): OutRecord {
  return { ...at, key: event.runId, value: codec.encodeEvent(event) };
}

async function append(log: Log, records: Iterable<OutRecord>): Promise<void> {
  const writer = log.writer();
  const batch: OutRecord[] = [];
  for (const record of records) {
    batch.push(record);
    if (batch.length === BATCH) await writer.append(batch.splice(0));
  }
  await writer.append(batch);
  await writer.close();
}

async function saveSnapshot(log: Log, { prefix, runs, calls }: Past, partition: number): Promise<void> {
  const topics = topicNames(prefix);
  const fold = openPartition({ policy: DEFAULT_POLICY, revision: -1, maxRuns: runs });
  judge(fold, POLICY, Date.now());
  const events = fleetEvents({ runs: Math.ceil(runs / PARTITIONS), calls, looping: NEVER });
  for (const event of events) judge(fold, event, Date.now());
  const ranges = await log.reader.ranges(topics.events);
  const end = ranges[partition]?.end ?? 0;
  const life = new AbortController();
  const [writer, stateWriter] = [log.writer(), log.writer()];
  const around = { codec, findSchema: async () => null, operatorKeys: null, time: systemTime, facts: SILENT };
  const context = { ...around, topics, reader: log.reader, writer, stateWriter, maxRuns: runs };
  const task = { partition, signal: life.signal, lineage: 0, fold, judged: end - 1, end };
  const keeper = keeperOf(context, task, new Set());
  keeper.offer();
  await keeper.settled();
  life.abort();
  await Promise.all([writer.close(), stateWriter.close()]);
}

async function commitEnds(log: Log, { prefix, group }: Past): Promise<void> {
  const topic = topicNames(prefix).events;
  const ends = new Map((await log.reader.ranges(topic)).map(({ partition, end }) => [partition, end]));
  const all = Promise.withResolvers<void>();
  const assigned = new Set<number>();
  const member = await log.join(
    { group, topic },
    {
      assigned: async ({ partition }) => {
        if (assigned.add(partition).size === PARTITIONS) all.resolve();
        return ends.get(partition) ?? 0;
      },
      lost: () => undefined,
      batch: async () => undefined,
      failed: all.reject,
    },
  );
  await all.promise;
  const metadata = writeCommitMetadata({ lineage: 0, highestEpoch: 0, engine: ENGINE });
  for (const [partition, offset] of ends) await member.commit(topic, partition, { offset, metadata });
  await member.close();
}
