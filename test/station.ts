import { type LoopEvent, SHIPPED_PROFILES, type Verdict } from '@loopwarden/detection';
import {
  type Detector,
  type Facts,
  runDetector,
  SILENT,
  type StateLayout,
  type Time,
  topicNames,
} from '@loopwarden/detector/parts';
import { type Log, partitionOf, type TopicSpec } from '@loopwarden/stream';
import {
  createMemoryLog,
  type MemoryBroker,
  type MemoryLogOptions,
  testClock,
} from '@loopwarden/stream/memory';
import { type Control, createEmbeddedCodec, readLineage } from '@loopwarden/wire';

export const TOPICS = topicNames('');
export const codec = createEmbeddedCodec();

/** What stands in a control partition, decoded. */
interface Said {
  readonly lineage: number | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly control: Control;
}

/** A log in memory with the topics of a small fleet. */
export function memoryBroker(partitions = 1, options: Partial<MemoryLogOptions> = {}): MemoryBroker {
  const spec = (name: string, count: number): TopicSpec => ({
    name,
    partitions: count,
    cleanup: 'delete',
    retentionMs: null,
    timestamps: 'append',
  });
  const topics = [
    spec(TOPICS.events, partitions),
    spec(TOPICS.control, partitions),
    spec(TOPICS.state, partitions),
    spec(TOPICS.policies, 1),
    spec(TOPICS.deadLetters, 1),
  ];
  return createMemoryLog({ clock: testClock(), topics, ...options });
}

/** A detector process on a log in memory. Its heart beats when the test says so. */
interface Station {
  readonly detector: Detector;
  readonly log: Log;
  readonly beat: () => void;
}

export async function startDetector(
  broker: Pick<MemoryBroker, 'connect'>,
  { name = 'detector', facts = {}, keys = null, maxRuns = 1000, batchSize, layout }: StationOptions = {},
): Promise<Station> {
  const log = inBatches(broker.connect(name), batchSize);
  const ticks = new Set<() => void>();
  const time: Time = {
    every(_milliseconds, tick, signal) {
      ticks.add(tick);
      signal.addEventListener('abort', () => ticks.delete(tick));
    },
    pause: () => new Promise((resolve) => setImmediate(resolve)),
  };
  const context = {
    topics: TOPICS,
    reader: log.reader,
    writer: log.writer(),
    stateWriter: log.writer(),
    codec,
    findSchema: async () => null,
    operatorKeys: keys,
    maxRuns,
    ...(layout === undefined ? {} : { layout }),
    time,
    facts: { ...SILENT, ...facts },
  };
  const detector = await runDetector({ context, log, group: 'detectors', clientId: name });
  return {
    detector,
    log,
    beat: () => {
      for (const tick of ticks) tick();
    },
  };
}

function inBatches(log: Log, batchSize: number | undefined): Log {
  if (batchSize === undefined) return log;
  return { ...log, join: (options, handlers) => log.join({ ...options, batchSize }, handlers) };
}

interface StationOptions {
  readonly name?: string;
  readonly facts?: Partial<Facts>;
  readonly keys?: Parameters<typeof runDetector>[0]['context']['operatorKeys'];
  readonly maxRuns?: number;
  /** How state is saved; absent: as this version does. */
  readonly layout?: StateLayout;
  /** Records of a batch at most. */
  readonly batchSize?: number;
}

/** A policy with small thresholds: warning 3, block 5. */
const SMALL_POLICY = JSON.stringify({
  tools: { loopDetection: { enabled: true, warningThreshold: 3, criticalThreshold: 5 } },
});

/**
 * A log of one partition in which that policy is in force, as its revision 0 a second ago, and a gateway.
 * @param headers of the event that applied it
 */
export async function ruledLog(options: Partial<MemoryLogOptions> = {}, headers = {}) {
  const clock = testClock();
  const broker = memoryBroker(1, { clock, ...options });
  const document = { policy: SMALL_POLICY, actor: 'op', reason: 'test' };
  const operator = broker.connect('operator').writer();
  const value = codec.encodePolicyRevision(document);
  await operator.append([{ topic: TOPICS.policies, partition: 0, key: null, value }]);
  clock.advance(1000);
  const who = { runId: '*', agentId: null, sessionId: null, gatewayId: 'operator', source: 'policy' };
  const gateway = scribe(broker.connect('gateway'));
  await gateway.write(
    { ...who, ...document, type: 'policy', revision: 0, sequence: 0, observedAt: 0 },
    headers,
  );
  return { broker, gateway };
}

/** What the detectors have said in a control partition. */
export function said(broker: MemoryBroker, partition = 0): readonly Said[] {
  return broker.records(TOPICS.control, partition).map(({ value, headers }) => {
    const decoded = codec.decodeControl(value ?? new Uint8Array());
    if (!decoded.ok) throw new Error(`A control record is no control record: ${decoded.detail}`);
    return { lineage: readLineage(headers), headers, control: decoded.value };
  });
}

export function verdictsSaid(broker: MemoryBroker, partition = 0): readonly Verdict[] {
  return said(broker, partition).flatMap(({ control }) =>
    control.type === 'verdict' ? [control.verdict] : [],
  );
}

/** A gateway that only writes: events of runs, numbered. */
export function scribe(log: Log, { source = 'gw-1', partitions = 1 } = {}) {
  const writer = log.writer();
  const sequences = new Map<string, number>();
  return {
    async write(event: LoopEvent, headers = {}): Promise<void> {
      const partition = partitionOf(event.runId, partitions);
      await writer.append([
        { topic: TOPICS.events, partition, key: event.runId, value: codec.encodeEvent(event), headers },
      ]);
    },
    /** A call and its result. */
    async turn(
      runId: string,
      digest: string,
      { tool = 'read', args = 'aa', headers = {} } = {},
    ): Promise<void> {
      const common = this.common(runId);
      const call = {
        tool,
        args: digestOf(args),
        callId: null,
        poll: false,
        profiles: SHIPPED_PROFILES.version,
      };
      const rest = { ...call, keyId: null, payload: null, seen: null };
      await this.write({ ...common, ...rest, type: 'tool_call', delivered: [], despite: null }, headers);
      const came = { outcome: 'result', digest: digestOf(digest), missingTool: null, verdict: null } as const;
      await this.write(
        { ...this.common(runId), ...rest, ...came, type: 'tool_result', durationMs: 1 },
        headers,
      );
    },
    common(runId: string) {
      const sequence = (sequences.get(runId) ?? 0) + 1;
      sequences.set(runId, sequence);
      const who = { agentId: 'agent', sessionId: null, gatewayId: 'gw', source };
      return { runId, ...who, sequence, observedAt: 0 };
    },
  };
}

/** 128 bits from a few hex characters. */
export function digestOf(short: string): string {
  return short.padStart(32, '0');
}
