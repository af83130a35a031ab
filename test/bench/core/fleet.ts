import type { LoopEvent } from '@loopwarden/detection';

interface Fleet {
  readonly runs: number;
  /** Calls of each run, each with its result. */
  readonly calls: number;
  /** One run in this many repeats one call, which lands every time; the others work. Infinity: none does. */
  readonly looping: number;
}

/** Calls and results in turn, breadth first over all runs: honest runs change their arguments, looping ones never do. */
export function* fleetEvents({ runs, calls, looping }: Fleet): Generator<LoopEvent> {
  for (let turn = 0; turn < calls; turn += 1) {
    for (let run = 1; run <= runs; run += 1) {
      yield* turnOf(run, { turn, args: digestOf(run, run % looping === 0 ? 0 : turn) });
    }
  }
}

function* turnOf(run: number, { turn, args }: { turn: number; args: string }): Generator<LoopEvent> {
  const common = {
    runId: flat(`0198f3a0-4c1e-7000-8000-${String(run).padStart(12, '0')}`),
    agentId: null,
    sessionId: null,
    gatewayId: 'gateway-1',
    source: 'gateway-1/5f3a',
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

/** 32 hex characters of two numbers, spread as a digest's are. */
function digestOf(run: number, turn: number): string {
  let text = '';
  for (let word = 0, seed = run; word < 4; word += 1) {
    seed = Math.imul(seed ^ (seed >>> 15) ^ Math.imul(turn + word + 1, 0x9e37_79b1), 0x85eb_ca6b);
    seed = Math.imul(seed ^ (seed >>> 13), 0xc2b2_ae35);
    text += ((seed ^ (seed >>> 16)) >>> 0).toString(16).padStart(8, '0');
  }
  return flat(text);
}

/** As a decoder makes it: in one piece. */
function flat(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}
