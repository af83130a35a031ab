import type { Verdict } from '@loopwarden/detection';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Connected, Rig } from '../../../test/gateway/rig.ts';
import type { Run } from './run.ts';

let rig: Rig;
let connected: Connected;
let run: Run;
let reading: boolean;

beforeEach(async () => {
  reading = true;
  rig = new Rig({ faults: ({ kind }) => (kind === 'read' && !reading ? { fail: 'before' } : undefined) });
  connected = await rig.connect();
  run = connected.gateway.run({ runId: 'r' });
  await run.beforeCall({ callId: 'first', tool: 'look' });
  await rig.round();
});

afterEach(() => rig.close());

function block(fields: Partial<Verdict> = {}): Verdict {
  return {
    runId: 'r',
    agentId: null,
    sessionId: null,
    gatewayId: 'gw',
    epoch: 5,
    sequence: 1,
    action: 'block',
    match: { scope: 'tool', tool: 'read', args: null },
    detector: 'unknown_tool_repeat',
    count: 3,
    threshold: 3,
    level: 0,
    warning: 0,
    pairedTool: null,
    ends: null,
    reason: null,
    shadow: false,
    trigger: { source: 'somebody', sequence: 1 },
    at: rig.clock.now(),
    policyRevision: 0,
    profiles: 'p',
    engine: '1',
    message: 'CRITICAL: stop',
    ...fields,
  };
}

const release = (fields: Partial<Verdict>): Verdict =>
  block({ action: 'release', reason: 'cleared', message: '', detector: '', count: 0, ...fields });

async function hear(...verdicts: Verdict[]): Promise<string> {
  for (const verdict of verdicts) rig.judging.publish(verdict, 0);
  await rig.settle();
  return (await run.beforeCall({ tool: 'read' })).action;
}

it('enforces until released', async () => {
  expect(await hear(block())).toBe('block');
  expect(await hear(release({ sequence: 2, ends: 1 }))).toBe('allow');
});

it('hears a verdict that comes twice once', async () => {
  await hear(block(), release({ sequence: 2, ends: 1 }));
  expect(await hear(block())).toBe('allow');
});

it('a newer epoch replaces everything', async () => {
  await hear(block());
  expect(await hear(block({ epoch: 6, match: { scope: 'tool', tool: 'other', args: null } }))).toBe('allow');
});

it('runs that it does not serve leave nothing behind', async () => {
  await hear(block({ runId: 'stranger' }));
  const stranger = connected.gateway.run({ runId: 'stranger' });
  expect((await stranger.beforeCall({ tool: 'read' })).action).toBe('allow');
});

it('after missed verdicts it asks for what stands', async () => {
  await hear(block({ sequence: 7 }));
  expect(connected.told('attached').map(({ why }) => why)).toEqual(['first']);
  await hear(block({ sequence: 9, match: { scope: 'tool', tool: 'other', args: null } }));
  expect(connected.told('attached').map(({ why }) => why)).toEqual(['first', 'gap']);
});

it('a run that ended does not begin anew because verdicts were missed', async () => {
  await hear(block());
  run.end('completed');
  await rig.settle();
  rig.judging.publish(release({ sequence: 9, ends: 1 }), 0);
  await rig.settle();
  expect(rig.judging.events().at(-1)?.type).toBe('run_end');
});

it('a verdict of a later version counts as heard', async () => {
  await hear(block({ sequence: 1 }));
  rig.judging.publishUnknown(block({ sequence: 2 }), 0);
  expect(await hear(block({ sequence: 3, match: { scope: 'tool', tool: 'other', args: null } }))).toBe(
    'block',
  );
  expect(connected.told('attached')).toHaveLength(1);
});

it('ignores a detector that was replaced', async () => {
  rig.judging.publish(block(), 0, 7);
  rig.judging.publish(release({ sequence: 2, ends: 1 }), 0, 3);
  expect(await hear()).toBe('block');
  expect(connected.told('zombie')).toHaveLength(1);
});

it('a mark with progress ends what older lineages left; one without ends nothing', async () => {
  await hear(block());
  const mark = (offset: number) => ({
    key: null,
    value: rig.codec.encodeMark({ partition: 0, offset, end: 9 }),
    lineage: 7,
  });
  rig.judging.append(0, mark(-1));
  expect(await hear()).toBe('block');
  rig.judging.append(0, mark(0));
  expect(await hear()).toBe('allow');
});

it('leaves out what it cannot read, and says so', async () => {
  rig.judging.append(0, { key: null, value: new Uint8Array([9, 9, 9, 9, 9, 9, 9]) });
  expect(await hear(block())).toBe('block');
  expect(connected.told('skipped')).toMatchObject([{ topic: 'loopwarden.control', partition: 0 }]);
});

it('asks for what stands when records were gone before it read them', async () => {
  reading = false;
  await hear(block(), block({ sequence: 2, match: { scope: 'tool', tool: 'other', args: null } }));
  expect(connected.told('unreachable')).toHaveLength(1);
  rig.broker.trim('loopwarden.control', 0, rig.broker.records('loopwarden.control', 0).length);
  reading = true;
  rig.clock.advance(500);
  await rig.settle();
  expect(connected.told('reset')).toMatchObject([{ partition: 0 }]);
  expect(connected.told('attached').map(({ why }) => why)).toEqual(['first', 'reset']);
  expect(connected.told('reachable')).toHaveLength(1);
  expect(await hear(block({ sequence: 4 }))).toBe('block');
});

it('shadows are told and never enforced', async () => {
  expect(await hear(block({ shadow: true }))).toBe('allow');
  await rig.settle();
  expect(connected.told('despite')).toMatchObject([{ why: 'shadow', tool: 'read' }]);
  expect(rig.judging.events().at(-1)).toMatchObject({ despite: { epoch: 5, sequence: 1, why: 'shadow' } });
});
