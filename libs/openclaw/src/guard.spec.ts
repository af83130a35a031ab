import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Rig } from '../../../test/gateway/rig.ts';
import { connectTo, RecordedHost } from '../../../test/openclaw/recorded-host.ts';
import type { Connect } from './link.ts';
import type { PluginConfig } from './settings.ts';

/** Warned with call 4, refused from call 6 on. */
let rig: Rig;
let host: RecordedHost;
let calls = 0;

const OUTPUT = { content: [{ type: 'text', text: 'same' }] };

beforeEach(async () => {
  rig = new Rig();
  calls = 0;
  await open();
});
afterEach(() => rig.close());

async function open(config: Partial<PluginConfig> = {}, connect: Connect = connectTo(rig)): Promise<void> {
  host = new RecordedHost(connect, config);
  await host.call('agent_event', { ...inRun('r'), stream: 'lifecycle', data: { phase: 'start' }, seq: 1 });
  await rig.settle();
}

const inRun = (runId: string) => ({
  runId,
  agentId: 'main',
  sessionId: `session of ${runId}`,
  sessionKey: `key of ${runId}`,
});

interface Shown {
  /** What the veto says; null: the tool ran. */
  readonly refused: string | null;
  readonly shown: unknown;
}

/** One call of a tool through all its hooks; answers with what the model is shown. */
async function turn(runId: string, { callId = `call_${++calls}`, path = 'a.txt' } = {}): Promise<Shown> {
  const call = { toolName: 'read', params: { path }, runId, toolCallId: callId };
  const veto = (await host.call('before_tool_call', call, inRun(runId))) as
    | { blockReason: string }
    | undefined;
  const refused = veto?.blockReason ?? null;
  const details = { status: 'blocked', deniedReason: 'plugin-before-tool-call', reason: refused };
  const result = refused === null ? OUTPUT : { content: [{ type: 'text', text: refused }], details };
  const replaced = await host.call('middleware', {
    toolCallId: callId,
    toolName: 'read',
    args: { path },
    result,
  });
  const shown = (replaced as { result: unknown } | undefined)?.result ?? result;
  await host.call('after_tool_call', { ...call, result: shown }, inRun(runId));
  await rig.round();
  return { refused, shown };
}

async function turns(runId: string, count: number): Promise<Shown[]> {
  const all: Shown[] = [];
  for (let index = 0; index < count; index += 1) all.push(await turn(runId));
  return all;
}

/** A call of a tool that does not exist: only its last hook is called. */
async function missing(runId: string): Promise<void> {
  const text = 'Tool nowhere not found';
  const result = { content: [{ type: 'text', text }], details: {} };
  const call = { toolName: 'nowhere', params: {}, runId, toolCallId: `call_${++calls}`, result, error: text };
  await host.call('after_tool_call', call, inRun(runId));
  await rig.round();
}

function outcomes(): (string | null)[] {
  return rig.judging.events().flatMap((event) => (event.type === 'tool_result' ? [event.outcome] : []));
}

it('a warning is added to the result that it comes with, whose digest it does not change', async () => {
  const shown = await turns('r', 5);
  expect(shown.map(({ shown }) => (shown as typeof OUTPUT).content.length)).toEqual([1, 1, 1, 2, 1]);
  expect(shown[3]?.shown).toMatchObject({
    content: [OUTPUT.content[0], { type: 'text', text: expect.stringMatching(/^WARNING/) }],
  });
  const digests = rig.judging
    .events()
    .flatMap((event) => (event.type === 'tool_result' ? [event.digest] : []));
  expect(new Set(digests).size).toBe(1);
});

it('a refused call is vetoed with the message of its verdict, and told once', async () => {
  const shown = await turns('r', 7);
  expect(shown.map(({ refused }) => refused?.slice(0, 8) ?? null)).toEqual([
    null,
    null,
    null,
    null,
    null,
    'CRITICAL',
    'CRITICAL',
  ]);
  expect(outcomes()).toEqual([...Array.from({ length: 5 }, () => 'result'), 'vetoed', 'vetoed']);
});

it('runs that share call ids are told apart by what they call', async () => {
  const before = (runId: string, path: string) =>
    host.call(
      'before_tool_call',
      { toolName: 'read', params: { path }, runId, toolCallId: 'call_0' },
      inRun(runId),
    );
  await before('r', 'a.txt');
  await before('s', 'b.txt');
  await host.call('middleware', {
    toolCallId: 'call_0',
    toolName: 'read',
    args: { path: 'b.txt' },
    result: OUTPUT,
  });
  await rig.round();
  expect(rig.judging.events().at(-1)).toMatchObject({ type: 'tool_result', runId: 's' });
});

describe('an abort', () => {
  const compact = () =>
    host.call('agent_event', {
      ...inRun('r'),
      stream: 'compaction',
      data: { phase: 'end', completed: true, willRetry: true },
      seq: 2,
    });

  it('ends the run while no call asks, and vetoes what comes all the same', async () => {
    await compact();
    await turns('r', 2);
    expect(host.aborted).toEqual(['session of r']);
    expect((await turn('r')).refused).toMatch(/^CRITICAL: after the context was compacted/);
    await host.call('agent_end', { success: false, error: 'aborted', runId: 'r' }, inRun('r'));
    await rig.round();
    expect(rig.judging.events().at(-1)).toMatchObject({
      type: 'run_end',
      status: 'aborted',
      verdict: expect.anything(),
    });
  });

  it('takes the handle of the attempt where OpenClaw has lost sight of it', async () => {
    host.abortable = false;
    await compact();
    await turns('r', 2);
    expect(host.handled).toBe(1);
  });
});

describe('calls of a missing tool, which cannot be vetoed', () => {
  const POLICY = { tools: { loopDetection: { enabled: true, unknownToolThreshold: 2 } } };

  beforeEach(async () => {
    await rig.close();
    rig = new Rig({ policy: POLICY });
  });

  it('end the run after as many that a verdict refuses as configured', async () => {
    await open({ onUnstoppable: { after: 2 } });
    for (const ended of [0, 0, 0, 1]) {
      await missing('r');
      expect(host.aborted).toHaveLength(ended);
    }
    const despite = rig.judging
      .events()
      .flatMap((event) => (event.type === 'tool_call' ? [event.despite?.why] : []));
    expect(despite).toEqual([undefined, undefined, 'unstoppable', 'unstoppable']);
  });

  it('are only reported where that is configured', async () => {
    await open({ onUnstoppable: { action: 'report' } });
    for (let count = 0; count < 8; count += 1) await missing('r');
    expect(host.aborted).toEqual([]);
  });
});

describe('when things go wrong', () => {
  const down: Connect = async () => {
    throw new Error('there is no log');
  };

  it('nothing that a hook throws reaches the host', async () => {
    await host.call('middleware', {
      toolCallId: 1,
      toolName: null,
      get result() {
        throw new Error('no result');
      },
    });
    await host.call('agent_event', { runId: 7, stream: 'lifecycle', data: null });
    await host.call('before_tool_call', { toolName: 'read', runId: 'x'.repeat(500), toolCallId: 'c' }, {});
    expect(host.said.join('\n')).toContain('Loopwarden failed in');
    expect((await turn('r')).refused).toBeNull();
  });

  it('without a log calls run, and are told when there is one', async () => {
    const up = Promise.withResolvers<void>();
    await open({}, async (settings, observer) => {
      await up.promise;
      return connectTo(rig)(settings, observer);
    });
    expect((await turns('r', 7)).map(({ refused }) => refused)).toEqual(
      Array.from({ length: 7 }, () => null),
    );
    expect(rig.judging.events()).toEqual([]);
    up.resolve();
    await rig.settle(200);
    await rig.round();
    expect(outcomes()).toHaveLength(7);
    expect((await turn('r')).refused).toMatch(/^CRITICAL/);
  });

  it('what cannot be told of one run, once there is a log, takes nothing else with it', async () => {
    const up = Promise.withResolvers<void>();
    let connects = 0;
    await open({}, async (settings, observer) => {
      await up.promise;
      connects += 1;
      return connectTo(rig)(settings, observer);
    });
    await turn('x'.repeat(500));
    await turn('r');
    up.resolve();
    await rig.settle(200);
    expect([connects, outcomes()]).toEqual([1, ['result']]);
    expect(host.said.join()).toContain('longer than 256 bytes');
  });

  it.each([
    ['open', null],
    ['closed', expect.stringContaining('could not be decided in time')],
  ] as const)(
    'strict mode without a log waits for its deadline and leaves calls %s',
    async (onDeadline, refused) => {
      await open({ strict: { deadlineMs: 20, onDeadline } }, down);
      expect((await turn('r')).refused).toEqual(refused);
      expect(host.said[0]).toContain('guards nothing yet');
    },
  );

  it('that nothing is guarded is said again every five minutes, and when it ends', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    let isDown = true;
    await open({}, (settings, observer) =>
      isDown ? down(settings, observer) : connectTo(rig)(settings, observer),
    );
    await host.call('gateway_start', {});
    await vi.advanceTimersByTimeAsync(899_000);
    expect(host.said).toEqual(Array(3).fill(expect.stringContaining('guards nothing yet')));
    isDown = false;
    await vi.advanceTimersByTimeAsync(20_000);
    await rig.settle(200);
    expect(host.said.at(-1)).toContain('guards from here on');
  });

  it.each([{}, { log: null }, { log: './data' }, null])(
    'a configuration without a log is told, and no hook is taken (%j)',
    async (config) => {
      host.register(config);
      expect(host.said.at(-1)).toContain('set plugins.entries.loopwarden.config.log');
    },
  );
});
