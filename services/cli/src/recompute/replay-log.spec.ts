import type { Log } from '@loopwarden/stream';
import type { MemoryBroker, TestClock } from '@loopwarden/stream/memory';
import { expect, it, vi } from 'vitest';
import {
  codec,
  memoryBroker,
  scribe,
  startDetector,
  TOPICS,
  verdictsSaid,
} from '../../../../test/station.ts';
import type { OpenedLog } from '../open-log.ts';
import { readRevisions } from '../policy/revisions.ts';
import type { Finding } from './replay-listener.ts';
import { replayLog } from './replay-log.ts';

const HOUR = 3_600_000;
const POLICY = JSON.stringify({
  tools: { loopDetection: { enabled: true, warningThreshold: 3, criticalThreshold: 5 } },
  loopwarden: { idle: '2h' },
});

/** A log in memory under a policy whose runs may be silent for two hours. */
async function fleet() {
  const broker = memoryBroker();
  const gateway = scribe(broker.connect('gateway'));
  const value = codec.encodePolicyRevision({ policy: POLICY, actor: 'op', reason: 'test' });
  await broker
    .connect('operator')
    .writer()
    .append([{ topic: TOPICS.policies, partition: 0, key: null, value }]);
  advance(broker, 1000);
  const base = { runId: '*', agentId: null, sessionId: null, gatewayId: 'operator', source: 'policy' };
  const applied = { revision: 0, policy: POLICY, actor: 'op', reason: 'test', sequence: 0, observedAt: 0 };
  await gateway.write({ ...base, ...applied, type: 'policy' });
  return { broker, gateway };
}

function advance(broker: MemoryBroker, milliseconds: number): void {
  (broker.clock as TestClock).advance(milliseconds);
}

async function loop(gateway: ReturnType<typeof scribe>, turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await gateway.turn('run', 'bb');
}

/** How each verdict came out: state, epoch and sequence. */
async function replay(broker: MemoryBroker, since = 0) {
  const log: Log = broker.connect('replay');
  const opened: OpenedLog = { log, codec, findSchema: async () => null, topics: TOPICS, place: 'memory' };
  const found: Finding[] = [];
  const nothing = (): void => undefined;
  const revisions = await readRevisions(opened, null);
  const tally = await replayLog(opened, {
    settings: { since, runId: null, agentId: null, other: null, revisions, keys: null, maxRuns: 1000 },
    until: null,
    listener: {
      found: (finding) => void found.push(finding),
      other: nothing,
      changed: nothing,
      revived: nothing,
    },
    progress: { begin: nothing, add: nothing },
  });
  return { found, states: found.map(({ state }) => state), tally };
}

it('a run that is older than the idle horizon is judged from its beginning', async () => {
  const { broker, gateway } = await fleet();
  await startDetector(broker);
  for (let turn = 0; turn < 8; turn += 1) {
    await gateway.turn('run', 'bb');
    advance(broker, HOUR);
  }
  await vi.waitFor(() => expect(verdictsSaid(broker)).toHaveLength(7));
  const { states, tally, found } = await replay(broker, broker.clock.now() - 2.5 * HOUR);
  expect(states).toEqual(['equal', 'equal']);
  expect(found.some(({ partial }) => partial)).toBe(false);
  expect(tally).toMatchObject({ events: 4, warmUp: 13 });
});

it('a run that is older than the log is marked partial', async () => {
  const { broker, gateway } = await fleet();
  await startDetector(broker);
  await gateway.turn('run', 'bb');
  advance(broker, 1000);
  await loop(gateway, 4);
  await vi.waitFor(() => expect(verdictsSaid(broker)).toHaveLength(4));
  broker.trim(TOPICS.events, 0, 3);
  const { found } = await replay(broker);
  expect(found.map(({ state }) => state)).toContain('unexpected');
  expect(found.every(({ state, partial }) => state !== 'equal' && partial)).toBe(true);
});

it('a renewal is made where it was made then: what a new lineage says is equal', async () => {
  const { broker, gateway } = await fleet();
  const first = await startDetector(broker, { name: 'first' });
  await loop(gateway, 4);
  await vi.waitFor(() => expect(verdictsSaid(broker)).toHaveLength(2));
  await first.detector.close();
  broker.trim(TOPICS.events, 0, 1);
  broker.trim(TOPICS.state, 0, Number.MAX_SAFE_INTEGER);
  await startDetector(broker, { name: 'second' });
  await vi.waitFor(() => expect(verdictsSaid(broker)).toHaveLength(3));
  advance(broker, 1000);
  const since = broker.clock.now();
  await loop(gateway, 2);
  await vi.waitFor(() => expect(verdictsSaid(broker)).toHaveLength(6));
  const whole = await replay(broker);
  expect(whole.states).toEqual(Array.from({ length: 6 }, () => 'equal'));
  expect(whole.found.map(({ renewed }) => renewed)).toEqual([false, false, true, true, true, true]);
  const later = await replay(broker, since);
  expect(later.states).toEqual(['equal', 'equal', 'equal', 'equal']);
});
