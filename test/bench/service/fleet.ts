import { randomUUID } from 'node:crypto';
import type { LoopEvent } from '@loopwarden/detection';
import { type TopicNames, topicNames } from '@loopwarden/detector/parts';
import { topicsOf } from '@loopwarden/schemas';
import { type Log, type OutRecord, partitionOf } from '@loopwarden/stream';
import { createEmbeddedCodec } from '@loopwarden/wire';

export const PARTITIONS = 12;
export const codec = createEmbeddedCodec();

/** Every call of a looping run leads to a verdict, for the count grows with each; honest calls lead to none. */
const POLICY = {
  tools: { loopDetection: { enabled: true, historySize: 1000, warningThreshold: 6, criticalThreshold: 7 } },
};

/** Topics of their own, with detection switched on in every partition. */
export async function freshTopics(
  log: Log,
  { prefix = `bench-${randomUUID()}.`, partitions = PARTITIONS } = {},
): Promise<TopicNames> {
  await log.admin.apply(topicsOf({ prefix, partitions }));
  const topics = topicNames(prefix);
  const writer = log.writer();
  const event = policyEvent();
  const value = codec.encodeEvent(event);
  await writer.append(
    Array.from({ length: partitions }, (_, partition) => ({
      topic: topics.events,
      partition,
      key: null,
      value,
    })),
  );
  await writer.close();
  return topics;
}

function policyEvent(): LoopEvent {
  const who = { runId: '*', agentId: null, sessionId: null, gatewayId: 'operator', source: 'policy' };
  const applied = { revision: 0, policy: JSON.stringify(POLICY), actor: 'bench', reason: 'bench' };
  return { ...who, ...applied, type: 'policy', sequence: 0, observedAt: 0 };
}

interface FleetEvent {
  readonly index: number;
  readonly runs: number;
  readonly loops: (run: number) => boolean;
  readonly partitions?: number;
}

/** The `index`-th event of a fleet: calls and results in turn, each run in its order. */
export function eventRecord(
  topics: TopicNames,
  { index, runs, loops, partitions = PARTITIONS }: FleetEvent,
): OutRecord {
  const run = (index >> 1) % runs;
  const round = Math.floor((index >> 1) / runs);
  const runId = `run-${run}`;
  const event = eventOf({ runId, sequence: 2 * round + (index % 2) + 1, step: loops(run) ? 0 : round + 1 });
  return {
    topic: topics.events,
    partition: partitionOf(runId, partitions),
    key: runId,
    value: codec.encodeEvent(event),
  };
}

function eventOf({ runId, sequence, step }: { runId: string; sequence: number; step: number }): LoopEvent {
  const args = step.toString(16).padStart(32, '0');
  const who = { runId, agentId: 'coder', sessionId: 's-1', gatewayId: 'gw-1', source: 'gw-1-a7c3', sequence };
  const call = {
    callId: `call-${(sequence + 1) >> 1}`,
    tool: 'exec',
    args,
    poll: false,
    profiles: 'p',
    keyId: null,
  };
  const common = { ...who, ...call, observedAt: 1_764_500_000_000, payload: null, seen: null };
  if (sequence % 2 === 1) return { ...common, type: 'tool_call', delivered: [], despite: null };
  const came = { outcome: 'result', digest: args, missingTool: null, verdict: null, durationMs: 12 } as const;
  return { ...common, ...came, type: 'tool_result' };
}
