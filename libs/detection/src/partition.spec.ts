import { describe, expect, it } from 'vitest';
import { digestOf, given, SMALL, START } from '../../../test/given.ts';
import { partitionFacts } from './partition.ts';

const HOUR = 3_600_000;

function looping(turns = 5): ReturnType<typeof given> {
  const world = given();
  for (let turn = 0; turn < turns; turn += 1) world.turn('x');
  return world;
}

describe('epochs', () => {
  it('begin at the time of the first event', () => {
    const world = looping(3);
    expect(world.verdicts[0]?.epoch).toBe(START + 1);
  });

  it('begin anew when a run comes back after the horizon, with an empty window', () => {
    const world = looping();
    expect(world.turn('x', { at: START + 3 * HOUR })).toEqual([]);
    for (let turn = 0; turn < 4; turn += 1) world.turn('x');
    expect(world.verdicts.at(-1)).toMatchObject({ epoch: START + 3 * HOUR, sequence: 4, count: 5 });
  });

  it('begin anew with a call after the end, above the last one', () => {
    const world = looping(3);
    world.end({ at: START });
    world.call({ at: START });
    world.turn('x', { at: START });
    world.turn('x', { at: START });
    const [first, last] = [world.verdicts[0], world.verdicts.at(-1)];
    expect(last?.epoch).toBeGreaterThan(first?.epoch ?? 0);
    expect(last?.sequence).toBe(1);
  });
});

describe('the end of a run', () => {
  it('releases what stands', () => {
    expect(looping().end()).toEqual(['#5 release read(a) ends #4 run_ended']);
  });

  it('leaves late results, releases and second ends unheard but counted', () => {
    const world = looping();
    world.end();
    expect([...world.result('x'), ...world.release(), ...world.end()]).toEqual([]);
    expect(world.notes.filter(({ kind }) => kind === 'late')).toHaveLength(3);
  });
});

describe('redelivery', () => {
  it('changes nothing, and is noted', () => {
    const world = looping(4);
    expect(world.result('x', { sequence: 8 })).toEqual([]);
    expect(world.notes.at(-1)).toMatchObject({ kind: 'duplicate', sequence: 8 });
  });

  it('reports numbers that never came', () => {
    const world = looping(1);
    world.call({ sequence: 7 });
    expect(world.notes.at(-1)).toMatchObject({ kind: 'gap', missed: 4 });
  });

  it('takes any first number of a source without a gap', () => {
    const world = looping(1);
    world.call({ source: 'gw-2', sequence: 40 });
    expect(world.notes).toEqual([]);
  });
});

describe('warnings', () => {
  it('are withdrawn as delivered when a call names them, and come once more ten calls later', () => {
    const document = {
      tools: { loopDetection: { enabled: true, warningThreshold: 3, criticalThreshold: 25 } },
    };
    const world = given(document);
    for (let turn = 0; turn < 3; turn += 1) world.turn(`x${turn}`);
    const delivered = [{ epoch: START + 1, warning: 1, level: 1 }];
    expect(world.call({ delivered })).toEqual(['#2 release read(a) ends #1 delivered']);
    const lines = Array.from({ length: 9 }, (_, turn) => world.call({ callId: `c${turn}` })).flat();
    expect(lines).toEqual(['#3 warn read(a) generic_repeat×13 level 2']);
    expect(world.verdicts.at(-1)?.warning).toBe(1);
  });

  it('are not consumed by a call that names none', () => {
    const world = looping(3);
    expect(world.call()).toEqual(['#2 warn read(a) generic_repeat×4 level 1 ends #1']);
  });
});

describe('attach', () => {
  it('says again what stands, under the same warning', () => {
    const world = looping(3);
    expect(world.attach({ source: 'gw-2' })).toEqual(['#2 warn read(a) generic_repeat×3 level 1 ends #1']);
    expect(world.verdicts.at(-1)).toMatchObject({ warning: 1, trigger: { source: 'gw-2', sequence: 1 } });
  });
});

describe('the guard after a compaction', () => {
  it('aborts the run, ends everything else first, and is blind afterwards', () => {
    const world = looping();
    world.compaction();
    world.result('x', { callId: 'c1' });
    expect(world.result('x', { callId: 'c2' })).toEqual([
      '#6 release read(a) ends #5 aborted',
      '#7 abort run compaction_loop_persisted×2',
    ]);
    expect([...world.turn('y'), ...world.compaction()]).toEqual([]);
  });

  it('lets the run go when one outcome differs', () => {
    const world = given();
    world.compaction();
    world.turn('x');
    expect([...world.turn('y'), ...world.turn('y')].filter((line) => line.includes('abort'))).toEqual([]);
  });

  it('is not armed by a compaction between turns', () => {
    const world = given();
    world.compaction({ retry: false });
    expect([...world.turn('x'), ...world.turn('x')]).toEqual([]);
    expect(world.notes).toEqual([]);
  });

  it('aborts in the shadow without blinding the detectors', () => {
    const block = { ...SMALL.tools?.loopDetection, observe: true };
    const world = given({ tools: { loopDetection: block } });
    world.compaction();
    const lines = ['x', 'x', 'x'].flatMap((digest) => world.turn(digest));
    expect(lines).toEqual([
      '#1 shadow abort run compaction_loop_persisted×2',
      '#2 shadow warn read(a) generic_repeat×3 level 1',
    ]);
  });
});

describe('an operator', () => {
  it('releases a signature with its records', () => {
    const world = looping();
    const match = { scope: 'signature', tool: 'read', args: digestOf('a') } as const;
    expect(world.release({ match })).toEqual(['#5 release read(a) ends #4 operator']);
    expect(world.turn('x')).toEqual([]);
  });

  it('lifts an abort with the whole run only', () => {
    const world = given();
    world.compaction();
    world.turn('x');
    world.turn('x');
    expect(world.release({ match: { scope: 'tool', tool: 'read', args: null } })).toEqual([]);
    expect(world.release()).toEqual(['#2 release run ends #1 operator']);
  });

  it('is not heard for an earlier epoch', () => {
    const world = looping();
    expect(world.release({ epoch: START })).toEqual([]);
    expect(world.notes.at(-1)).toMatchObject({ kind: 'ignored_release' });
  });
});

describe('a policy', () => {
  it('re-evaluates every live run, by run id', () => {
    const world = given();
    for (const runId of ['b', 'a']) for (let turn = 0; turn < 5; turn += 1) world.turn('x', { runId });
    const looser = { tools: { loopDetection: { enabled: true, warningThreshold: 9 } } };
    world.policy(looser);
    const released = world.verdicts.slice(-2);
    expect(released.map(({ runId, reason, policyRevision }) => [runId, reason, policyRevision])).toEqual([
      ['a', 'policy', 0],
      ['b', 'policy', 0],
    ]);
  });

  it('that is older or no document is not taken', () => {
    const world = looping();
    world.policy(SMALL, { revision: 4 });
    world.policy({}, { revision: 3 });
    world.policy('not a document' as never);
    expect(world.verdicts).toHaveLength(4);
    expect(world.notes.slice(-2).map(({ kind }) => kind)).toEqual(['stale_policy', 'refused_policy']);
  });

  it('lifts no abort', () => {
    const world = given();
    world.compaction();
    world.turn('x');
    world.turn('x');
    expect(world.policy({ tools: { loopDetection: { enabled: false } } })).toEqual([]);
  });
});

describe('healing', () => {
  const veto = { outcome: 'vetoed', digest: null, verdict: { epoch: 1, sequence: 9 } } as const;

  it('answers a veto that nothing standing explains', () => {
    const world = looping(3);
    expect(world.result('', { ...veto, args: digestOf('b') })).toEqual([
      '#2 warn read(a) generic_repeat×3 level 1 ends #1',
      '#3 release run ends #1 expired',
    ]);
  });

  it('leaves a founded veto alone', () => {
    expect(looping().result('', veto)).toEqual([]);
  });

  it('answers after the end too', () => {
    const world = looping();
    world.end();
    expect(world.result('', veto)).toEqual(['#6 release run ends #5 expired']);
  });
});

describe('memory', () => {
  it('forgets the least recently active run beyond the bound, and says so', () => {
    const world = given(SMALL, { maxRuns: 2 });
    for (const runId of ['a', 'b', 'a', 'c']) world.call({ runId });
    expect(world.notes).toEqual([{ kind: 'forgotten', runId: 'b', epoch: START + 2 }]);
  });

  it('is given back after the horizon and a minute', () => {
    const world = given();
    world.call({ runId: 'old' });
    world.call({ runId: 'new', at: START + 2 * HOUR + 61_000 });
    expect(partitionFacts(world.partition)).toMatchObject({
      liveRuns: 1,
      newestAt: START + 2 * HOUR + 61_000,
    });
  });
});
