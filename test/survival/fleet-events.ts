import { type LoopEvent, type RunEvent, SHIPPED_PROFILES } from '@loopwarden/detection';
import { CALLS, type Call } from '../simulation/calls.ts';
import { digestOf } from '../station.ts';

/** What a run does again and again, until it thinks of something else. */
interface Habit {
  readonly call: Call;
  readonly digest: string;
}

/** A fleet whose agents loop a lot, end now and then, and do not obey; what it does follows from the numbers given. */
interface LoopingFleet {
  /** The next events of any run, in the order of the run. */
  next(): readonly LoopEvent[];
  /** Events of each run so far. */
  readonly sequences: ReadonlyMap<string, number>;
}

type Own<E extends LoopEvent> = E extends LoopEvent
  ? Omit<E, 'runId' | 'agentId' | 'sessionId' | 'gatewayId' | 'source' | 'sequence' | 'observedAt'>
  : never;

export function loopingFleet(runs: readonly string[], random: () => number): LoopingFleet {
  const sequences = new Map<string, number>();
  const habits = new Map<string, Habit>();
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const event = (runId: string, own: Own<RunEvent>): LoopEvent => {
    const sequence = (sequences.get(runId) ?? 0) + 1;
    sequences.set(runId, sequence);
    const who = { runId, agentId: 'alpha', sessionId: null, gatewayId: 'g0', source: 'g0' };
    return { ...who, sequence, observedAt: 0, ...own } as LoopEvent;
  };
  const turn = (runId: string): readonly LoopEvent[] => {
    const known = random() < 0.85 ? habits.get(runId) : undefined;
    const habit = known ?? { call: pick(CALLS), digest: pick(['01', '02', '03']) };
    habits.set(runId, habit);
    const { call, digest } = habit;
    const missing = call.tool === 'serach';
    const came = { outcome: missing ? 'error' : 'result', missingTool: missing ? call.tool : null } as const;
    return [
      event(runId, { type: 'tool_call', ...call, ...MORE, delivered: [], despite: null }),
      event(runId, {
        type: 'tool_result',
        ...call,
        ...MORE,
        ...came,
        digest: digestOf(digest),
        verdict: null,
        durationMs: null,
      }),
    ];
  };
  return {
    sequences,
    next() {
      const runId = pick(runs);
      const chance = random();
      if (!sequences.has(runId) || chance < 0.02) return [event(runId, { type: 'attach' })];
      if (chance < 0.04) return [event(runId, { type: 'run_end', status: 'completed', verdict: null })];
      if (chance < 0.06) return [event(runId, { type: 'compaction', retry: true })];
      return turn(runId);
    },
  };
}

const MORE = { callId: null, profiles: SHIPPED_PROFILES.version, keyId: null, payload: null, seen: null };
