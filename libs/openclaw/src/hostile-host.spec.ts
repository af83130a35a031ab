import fc from 'fast-check';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { hostile, hostileObject } from '../../../test/gateway/hostile-values.ts';
import { Rig } from '../../../test/gateway/rig.ts';
import { connectTo, RecordedHost } from '../../../test/openclaw/recorded-host.ts';

const HOOKS = [
  'before_tool_call',
  'after_tool_call',
  'after_compaction',
  'agent_end',
  'agent_event',
  'middleware',
];

let rig: Rig;
let host: RecordedHost;

beforeEach(async () => {
  rig = new Rig();
  host = new RecordedHost(connectTo(rig));
  await host.call('gateway_start', {});
  await rig.settle();
});
afterEach(() => rig.close());

const event = fc.oneof(
  hostile,
  hostileObject(
    'toolName',
    'params',
    'runId',
    'toolCallId',
    'result',
    'error',
    'success',
    'stream',
    'data',
    'seq',
  ),
  hostileObject('params', 'result', 'error', 'data').map((make) => () => {
    const named = { toolName: 'read', toolCallId: 'c', runId: 'r', stream: 'lifecycle' };
    return Object.defineProperties(make(), Object.getOwnPropertyDescriptors(named));
  }),
);
const context = fc.oneof(hostile, hostileObject('runId', 'agentId', 'sessionKey', 'sessionId'));

it.each(HOOKS)('%s throws nothing and leaves nothing unheard, whatever the host hands over', async (hook) => {
  const unheard = vi.fn();
  process.on('unhandledRejection', unheard);
  await fc.assert(
    fc.asyncProperty(event, context, async (given, around) => {
      const answer = await host.call(hook, given() as never, around() as never);
      expect(answer === undefined || typeof answer === 'object').toBe(true);
      await rig.settle(2);
    }),
    { numRuns: 100 },
  );
  await rig.round();
  process.off('unhandledRejection', unheard);
  expect(unheard).not.toHaveBeenCalled();
});
