import fc from 'fast-check';
import { expect, it } from 'vitest';
import { digestOf, given, SMALL, START } from '../../../test/given.ts';
import { judge } from './partition.ts';
import { compilePolicy } from './policy.ts';
import { inLine } from './recency.ts';
import { beginSave, endSave, restorePartition, savePartition, saveRuns } from './save.ts';

const OPTIONS = { policy: compilePolicy(SMALL), maxRuns: 100 };

function busy(): ReturnType<typeof given> {
  const world = given();
  for (const runId of ['a', 'b', 'c']) for (let turn = 0; turn < 4; turn += 1) world.turn('x', { runId });
  world.compaction({ runId: 'c' });
  return world;
}

/** Saved runs may come in any order. */
const inOrder = (runs: readonly Uint8Array[]): string[] => runs.map(String).sort();

it('saves the partition as it was at the beginning, while judging goes on', () => {
  const world = busy();
  const whole = savePartition(world.partition);
  const head = beginSave(world.partition);
  const runs = [...saveRuns(world.partition, 1)];
  world.turn('y', { runId: 'b' });
  world.turn('y', { runId: 'd' });
  world.policy({ tools: { loopDetection: { enabled: true, historySize: 2 } } });
  for (let more = saveRuns(world.partition, 1); more.length > 0; more = saveRuns(world.partition, 1))
    runs.push(...more);
  endSave(world.partition);
  expect({ ...head, runs: inOrder(runs) }).toEqual({ ...whole, runs: inOrder(whole.runs) });
});

it('restores what judges the same, event by event', () => {
  const [one, other] = [busy(), busy()];
  const restored = restorePartition(savePartition(other.partition), OPTIONS);
  const lines = one.turn('x', { runId: 'c' });
  expect(lines.length).toBeGreaterThan(0);
  const said = one.verdicts.slice(-lines.length);
  const events = [
    { type: 'tool_call', callId: null, delivered: [], despite: null },
    {
      type: 'tool_result',
      callId: null,
      outcome: 'result',
      digest: digestOf('x'),
      missingTool: null,
      verdict: null,
      durationMs: null,
    },
  ] as const;
  const base = {
    runId: 'c',
    agentId: 'agent',
    sessionId: null,
    gatewayId: 'gw',
    source: 'gw-1',
    observedAt: 0,
  };
  const call = {
    tool: 'read',
    args: digestOf('a'),
    poll: false,
    profiles: 'p',
    keyId: null,
    payload: null,
    seen: null,
  };
  const again = events.flatMap((event, index) => {
    const at = (said[0]?.at ?? 0) + index;
    return judge(restored, { ...base, ...call, ...event, sequence: 10 + index }, at).verdicts;
  });
  expect(again.map(({ at, ...rest }) => rest)).toEqual(said.map(({ at, ...rest }) => rest));
});

it('forgets the same runs after a restart, also among those that were active at the same time', () => {
  const step = fc.record({
    runId: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
    after: fc.constantFrom(0, 0, 1),
  });
  const steps = fc.array(step, { maxLength: 12 });
  fc.assert(
    fc.property(steps, steps, fc.nat(3), (before, meanwhile, pace) => {
      const world = given();
      let at = START;
      const attach = ({ runId, after }: { runId: string; after: number }): void => {
        at += after;
        world.attach({ runId, at });
      };
      before.forEach(attach);
      const order = Array.from(inLine(world.partition), ({ runId }) => runId);
      const head = beginSave(world.partition);
      const runs: Uint8Array[] = [];
      for (const next of meanwhile) {
        runs.push(...saveRuns(world.partition, pace));
        attach(next);
      }
      runs.push(...saveRuns(world.partition, Number.POSITIVE_INFINITY));
      const restored = restorePartition({ ...head, runs }, OPTIONS);
      expect(Array.from(inLine(restored), ({ runId }) => runId)).toEqual(order);
    }),
  );
});
