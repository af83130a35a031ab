import { compilePolicy, judge, type LoopEvent, openPartition } from '@loopwarden/detection';
import { type Bench, measure, perSecond } from './measure.ts';

const POLICY = compilePolicy({ tools: { loopDetection: { enabled: true } } });
const EVENTS = 200_000;
/** One run in this many repeats one call; the others work. */
const LOOPING = 10;

/** Events per second through the pure core, digests given, over few and many runs. */
export const bench: Bench = async function* () {
  for (const runs of [1, 1_000, 100_000]) {
    const events = mixed(runs);
    yield await measure({
      name: `core ${runs} runs`,
      unit: 'events/s',
      sample: () => perSecond(events.length, () => fold(events)),
    });
  }
};

function fold(events: readonly LoopEvent[]): void {
  const partition = openPartition({ policy: POLICY, revision: -1 });
  for (const event of events) judge(partition, event, 1_700_000_000_000);
}

/** Calls and results in turn over all runs: honest ones change their arguments, looping ones never do. */
function mixed(runs: number): LoopEvent[] {
  const sequences = new Uint32Array(runs);
  return Array.from({ length: EVENTS }, (_, index) => {
    const run = (index >> 1) % runs;
    const sequence = (sequences[run] ?? 0) + 1;
    sequences[run] = sequence;
    return eventOf({ run, sequence, isCall: index % 2 === 0 });
  });
}

function eventOf({ run, sequence, isCall }: { run: number; sequence: number; isCall: boolean }): LoopEvent {
  const step = run % LOOPING === 0 ? 0 : (sequence + 1) >> 1;
  const args = step.toString(16).padStart(32, '0');
  const common = {
    runId: `run-${run}`,
    agentId: null,
    sessionId: null,
    gatewayId: 'gw',
    source: 'gw-1',
    sequence,
    observedAt: 0,
    callId: `c${(sequence + 1) >> 1}`,
    tool: 'read',
    args,
    poll: false,
    profiles: 'p',
    keyId: null,
    payload: null,
    seen: null,
  };
  if (isCall) return { ...common, type: 'tool_call', delivered: [], despite: null };
  const came = { outcome: 'result', digest: args, missingTool: null, verdict: null, durationMs: 1 } as const;
  return { ...common, type: 'tool_result', ...came };
}
