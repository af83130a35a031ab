import { compilePolicy, judge, openPartition, type RunEvent, savePartition } from '@loopwarden/detection';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PATIENCE_MS } from './compare.ts';
import { few, positive } from './pick.ts';
import { runs } from './scenario.ts';
import { NOTHING_MORE, resultOf } from './stage.ts';

/** What a run may cost however it is fed, in characters of its saved state: a part that every run has, and a part per record. */
const BASE = 12_000;
const PER_RECORD = 1_500;
const EVENTS = 500;

const digest = (number: number): string => number.toString(16).padStart(32, '0');

type Own<E extends RunEvent> = E extends RunEvent
  ? Omit<E, 'runId' | 'agentId' | 'sessionId' | 'gatewayId' | 'source' | 'sequence' | 'observedAt'>
  : never;

const call = (tool: string, args: number, poll = false) => ({ tool, args: digest(args), poll });
const result = (number: number, missingTool: string | null = null) => ({
  outcome: missingTool === null ? ('result' as const) : ('error' as const),
  digest: digest(number),
  missingTool,
});

/** Each makes an event that is new in some way every time, where `n` counts the events. */
const FEEDS: readonly ((n: number) => Own<RunEvent>)[] = [
  (n) => ({
    type: 'tool_call',
    ...call('read', n),
    callId: `c${n}`,
    ...NOTHING_MORE,
    delivered: [],
    despite: null,
  }),
  (n) => ({
    type: 'tool_call',
    ...call('read', n % 2),
    callId: null,
    ...NOTHING_MORE,
    delivered: [],
    despite: null,
  }),
  (n) => ({
    type: 'tool_call',
    ...call(`tool${n}`, 1),
    callId: `c${n}`,
    ...NOTHING_MORE,
    delivered: [{ epoch: 1000, warning: n, level: n }],
    despite: null,
  }),
  (n) => ({ ...resultOf(call('process', 1, true), result(n)), callId: null }),
  (n) => ({ ...resultOf(call('process', n, true), result(1)), callId: `c${n}` }),
  (n) => ({ ...resultOf(call('read', n % 3), result(n)), callId: null }),
  (n) => ({ ...resultOf(call('read', n), result(n, `tool${n}`)), callId: null }),
  () => ({ type: 'compaction', retry: true }),
  () => ({ type: 'attach' }),
  (n) => ({
    type: 'release',
    match: { scope: 'tool', tool: `tool${n}`, args: null },
    epoch: null,
    actor: 'ops',
    reason: '',
  }),
];

/** What the nth event is: first a compaction, so that the guard is armed, then one feed after the other. */
function eventOf(feeds: readonly { readonly feed: number; readonly fresh: boolean }[], n: number): RunEvent {
  const { feed, fresh } = feeds[n % feeds.length] ?? { feed: 0, fresh: false };
  const own: Own<RunEvent> = (n === 1 ? undefined : FEEDS[feed]?.(n)) ?? { type: 'compaction', retry: true };
  const base = { runId: 'r', agentId: null, sessionId: null, gatewayId: 'g', observedAt: 0 };
  return { ...base, source: fresh ? `s${n}` : `s${feed}`, sequence: n, ...own };
}

describe('the state of a run', () => {
  it(
    'is bounded by the size of its window, whatever it is fed',
    () => {
      const menu = fc.array(fc.record({ feed: fc.nat(FEEDS.length - 1), fresh: fc.boolean() }), {
        minLength: 1,
        maxLength: 6,
      });
      fc.assert(
        fc.property(positive(20), few([1, 3, 1000]), menu, (historySize, windowSize, feeds) => {
          const block = { enabled: true, historySize, warningThreshold: 1, criticalThreshold: 900 };
          const loopDetection = {
            ...block,
            globalCircuitBreakerThreshold: 901,
            postCompactionGuard: { windowSize },
          };
          const policy = compilePolicy({ tools: { loopDetection } });
          const partition = openPartition({ policy, revision: 0 });
          for (let n = 1; n <= EVENTS; n += 1) {
            judge(partition, eventOf(feeds, n), 1000 + n);
          }
          const [saved] = savePartition(partition).runs;
          expect(saved?.length).toBeLessThan(BASE + PER_RECORD * historySize);
        }),
        runs(60),
      );
    },
    PATIENCE_MS,
  );
});
