import { createHash } from 'node:crypto';
import type { LoopEvent } from '@loopwarden/detection';

/** One run in this many repeats one call and lands every time; the others work. */
const LOOPING = Number(process.env.LOOPING ?? 10);

/** 32 hex characters that look like a digest's. */
function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

interface Fleet {
  readonly runs: number;
  /** Calls of each run, each with its result. */
  readonly calls: number;
}

/** Calls and results in turn, breadth first over all runs: honest ones change their arguments, looping ones never do. */
export function* fleetEvents({ runs, calls }: Fleet): Generator<LoopEvent> {
  for (let turn = 0; turn < calls; turn += 1) {
    for (let run = 0; run < runs; run += 1) yield* turnOf(run, turn);
  }
}

function* turnOf(run: number, turn: number): Generator<LoopEvent> {
  const args = digestOf(run % LOOPING === 0 ? `${run}` : `${run} ${turn}`);
  const common = {
    runId: `run-${run}`,
    agentId: null,
    sessionId: null,
    gatewayId: 'gw',
    source: 'gw-1',
    observedAt: 0,
    callId: `call-${turn}`,
    tool: 'read',
    args,
    poll: false,
    profiles: 'p',
    keyId: null,
    payload: null,
    seen: null,
  };
  yield { ...common, sequence: 2 * turn + 1, type: 'tool_call', delivered: [], despite: null };
  const came = { outcome: 'result', digest: args, missingTool: null, verdict: null, durationMs: 1 } as const;
  yield { ...common, sequence: 2 * turn + 2, type: 'tool_result', ...came };
}
