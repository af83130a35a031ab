import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LoopEvent } from '@loopwarden/detection';
import { current, embeddedIdOf } from '@loopwarden/schemas';
import type { Log } from '@loopwarden/stream';
import { openEmbeddedLog } from '@loopwarden/stream/embedded';
import { type OpenedLog, replayLog } from 'loopwarden/recompute';
import { avroType } from '../wire/avro-form.ts';
import { type Bench, measure } from './measure.ts';
import { detecting } from './service/detecting.ts';
import { codec, eventRecord, freshTopics, PARTITIONS } from './service/fleet.ts';

const EVENTS = 200_000;
const RUNS = 2_000;
const BATCH = 1_000;
/** One run in this many loops: its calls lead to verdicts, which are compared. */
const LOOPING = 100;
const FRAME_BYTES = 5;

/** Detectors with their default thresholds and window, as most fleets have them. */
const DEFAULTS_ON: LoopEvent = {
  ...{ type: 'policy', runId: '*', agentId: null, sessionId: null, gatewayId: 'operator', source: 'policy' },
  ...{ sequence: 1, observedAt: 0, revision: 1, actor: 'bench', reason: 'bench' },
  policy: JSON.stringify({ tools: { loopDetection: { enabled: true } } }),
};

/** A replay of the embedded log, verdicts compared, beside a consumer that reads it and decodes with avsc. */
export const bench: Bench = async function* () {
  const dir = await mkdtemp(join(tmpdir(), 'loopwarden-bench-'));
  const log = await openEmbeddedLog({ dir });
  const opened = await judgedFleet(log);
  const { events } = opened.topics;
  yield await measure({
    name: 'replay of the embedded log',
    unit: 'events/s',
    sample: () => perCpuSecond(() => replay(opened)),
    baseline: () => perCpuSecond(() => consume(log, events)),
    runs: 15,
  });
  await log.close();
  await rm(dir, { recursive: true });
};

/** Events per second of processor time, all threads of the process counted: what one core would do. */
async function perCpuSecond(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (EVENTS / (user + system)) * 1_000_000;
}

/** Events of many runs, and the verdicts that a detector published on them. */
async function judgedFleet(log: Log): Promise<OpenedLog> {
  const topics = await freshTopics(log);
  const writer = log.writer();
  await writer.append(
    Array.from({ length: PARTITIONS }, (_, partition) => ({
      topic: topics.events,
      partition,
      key: null,
      value: codec.encodeEvent(DEFAULTS_ON),
    })),
  );
  for (let at = 0; at < EVENTS; at += BATCH) {
    const indexes = Array.from({ length: BATCH }, (_, index) => at + index);
    await writer.append(
      indexes.map((index) => eventRecord(topics, { index, runs: RUNS, loops: (run) => run % LOOPING === 0 })),
    );
  }
  const ends = new Map(
    (await log.reader.ranges(topics.events)).map(({ partition, end }) => [partition, end]),
  );
  const { promise, resolve } = Promise.withResolvers<void>();
  const close = await detecting(log, topics, (partition, judged) => {
    if (judged + 1 === ends.get(partition)) ends.delete(partition);
    if (ends.size === 0) resolve();
  });
  await promise;
  await close();
  return { log, codec, findSchema: async () => null, topics, place: 'bench' };
}

/** Replays all, and finds it as it was. */
async function replay(opened: OpenedLog): Promise<void> {
  let different = 0;
  const nothing = (): void => undefined;
  const { events } = await replayLog(opened, {
    settings: {
      since: 0,
      runId: null,
      agentId: null,
      other: null,
      revisions: [],
      keys: null,
      maxRuns: 200_000,
    },
    until: null,
    listener: {
      found: ({ state }) => {
        if (state !== 'equal') different += 1;
      },
      other: nothing,
      changed: nothing,
      revived: nothing,
    },
    progress: { begin: nothing, add: nothing },
  });
  if (different > 0 || events !== EVENTS + 2 * PARTITIONS)
    throw new Error(`${different} verdicts of ${events} events differ from what was published`);
}

const TYPES = new Map(
  Object.values(current).map(({ record, schema }) => [embeddedIdOf[record], avroType(schema)]),
);

/** What a consumer does at least: reads every record and decodes it. */
async function consume(log: Log, topic: string): Promise<void> {
  const partitions = Array.from({ length: PARTITIONS }, (_, partition) => partition);
  await Promise.all(
    partitions.map(async (partition) => {
      for await (const { records } of log.reader.read({ topic, partition, from: 'start', until: 'end' })) {
        for (const { value } of records)
          if (value !== null) decode(Buffer.from(value.buffer, value.byteOffset, value.length));
      }
    }),
  );
}

function decode(bytes: Buffer): unknown {
  return TYPES.get(bytes.readUInt32BE(1))?.fromBuffer(bytes.subarray(FRAME_BYTES));
}
