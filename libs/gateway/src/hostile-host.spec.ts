import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { blockedForAWhile, hostile, hostileObject } from '../../../test/gateway/hostile-values.ts';
import { type Connected, Rig } from '../../../test/gateway/rig.ts';
import type { Answer } from './answer.ts';
import { connect } from './gateway.ts';
import { GatewayError } from './gateway-error.ts';
import type { Run } from './run.ts';

const RUNS = 150;
const STRICT = { deadlineMs: 100, onDeadline: 'open' } as const;
const ACTIONS = ['allow', 'warn', 'block', 'abort'];

let rig: Rig;

beforeEach(() => {
  rig = new Rig();
});
afterEach(() => rig.close());

/** The code of what was thrown, which must be an error of ours. */
function codeOf(error: unknown): string {
  if (!(error instanceof GatewayError)) throw error;
  return error.code;
}

describe.each([
  ['plain', {}],
  ['strict', { strict: STRICT }],
])('a %s gateway, whatever it is told', (_, options) => {
  let connected: Connected;
  let run: Run;
  const unheard = vi.fn();

  beforeEach(async () => {
    process.on('unhandledRejection', unheard);
    connected = await rig.connect({ ...options, payloads: { tools: ['read'] } });
    run = connected.gateway.run({ runId: 'r' });
  });
  afterEach(async () => {
    await rig.round();
    process.off('unhandledRejection', unheard);
    expect(unheard).not.toHaveBeenCalled();
    const { dropped, skipped } = connected.gateway.stats();
    expect({ ...dropped, skipped }).toEqual({ buffer: 0, refused: 0, too_large: 0, closed: 0, skipped: 0 });
  });

  /** The answer, within the deadline. */
  async function within(answer: Promise<Answer>): Promise<Answer> {
    await rig.round();
    rig.clock.advance(100);
    return answer;
  }

  const call = fc.oneof(
    hostile,
    hostileObject('callId', 'tool', 'args', 'unstoppable'),
    hostileObject('callId', 'args', 'unstoppable').map((make) => () => withTool(make())),
  );
  const made = fc.oneof(
    hostile,
    hostileObject('callId', 'tool', 'args', 'result', 'error', 'durationMs'),
    hostileObject('callId', 'args', 'result', 'error', 'durationMs').map((make) => () => withTool(make())),
  );

  it('answers every call', async () => {
    await fc.assert(
      fc.asyncProperty(call, async (make) => {
        expect(ACTIONS).toContain((await within(run.beforeCall(make() as never))).action);
      }),
      { numRuns: RUNS },
    );
  });

  it('takes every outcome, compaction and end', async () => {
    await fc.assert(
      fc.asyncProperty(made, hostile, async (make, status) => {
        const any = make();
        expect(run.afterCall(any as never)).toBeUndefined();
        expect(run.compacted(any as never)).toBeUndefined();
        expect(run.end(status() as never)).toBeUndefined();
        await rig.settle(1);
      }),
      { numRuns: RUNS },
    );
  });

  it('hands on what a guarded tool brings back and what it throws', async () => {
    await fc.assert(
      fc.asyncProperty(hostile, hostile, hostile, async (tool, args, outcome) => {
        const box = { outcome: outcome() };
        const thrown = outcome();
        const went = run.guard(tool() as never, args(), () => box);
        const failed = run.guard(tool() as never, args(), () => {
          throw thrown;
        });
        // In a list: a promise cannot hold every value.
        const seen = failed.then(
          ({ result }) => [result],
          (error: unknown) => [error],
        );
        for (let turn = 0; turn < 3; turn += 1) {
          await rig.round();
          rig.clock.advance(100);
        }
        const { result } = await went;
        expect(result === box || isBlocked(result)).toBe(true);
        const [shown] = await seen;
        expect(Object.is(shown, thrown) || isBlocked(shown)).toBe(true);
      }),
      { numRuns: RUNS / 3 },
    );
  });

  it('serves a run or says why it is none', async () => {
    const which = fc.oneof(hostile, hostileObject('runId', 'agentId', 'sessionId'));
    await fc.assert(
      fc.asyncProperty(which, async (make) => {
        try {
          expect(connected.gateway.run(make() as never).runId).toBeTypeOf('string');
        } catch (error) {
          expect(codeOf(error)).toBe('bad_run');
        }
      }),
      { numRuns: RUNS },
    );
  });
});

/** Whether a model was told of a refusal. */
function isBlocked(result: unknown): boolean {
  return (result as { details?: { status?: unknown } }).details?.status === 'blocked';
}

/** The object, getters and all, with a tool that can be read. */
function withTool(fields: object): object {
  return Object.defineProperty(fields, 'tool', { value: 'read', enumerable: true });
}

it('says once, by the process, that a call cannot be read where nobody watches', async () => {
  const warned = vi.spyOn(process, 'emitWarning').mockReturnValue();
  const log = { log: rig.broker.connect('gw'), codec: rig.codec, findSchema: async () => null };
  const gateway = await connect({ log, gatewayId: 'gw' });
  const run = gateway.run({ runId: 'r' });
  expect(await run.beforeCall({ tool: null } as never)).toEqual({ action: 'allow', despite: null });
  await run.beforeCall({ tool: null } as never);
  expect(warned.mock.calls).toEqual([
    [
      'tool is null; give the name of the tool. The call is left out.',
      expect.objectContaining({ code: 'bad_call' }),
    ],
  ]);
  warned.mockRestore();
  await gateway.close();
});

it('what is wrong with a call is left out and told; the rest of it is guarded', async () => {
  const { gateway, told } = await rig.connect();
  const run = gateway.run({ runId: 'r' });
  await run.beforeCall({ callId: 7, tool: 'read', args: 1n } as never);
  run.afterCall({ tool: 'read', args: 1n, result: 'x', durationMs: 'x' } as never);
  run.compacted(null as never);
  run.end('done' as never);
  await rig.settle();
  expect(rig.judging.events().map(({ type }) => type)).toEqual(['attach', 'tool_call', 'tool_result']);
  expect(told('bad_call').map(({ told, detail }) => [told, detail])).toEqual([
    ['beforeCall', expect.stringMatching(/^callId is 7/)],
    ['afterCall', expect.stringMatching(/^durationMs is "x"/)],
    ['compacted', expect.stringMatching(/null.*left out\.$/)],
    ['end', expect.stringMatching(/"done".*completed, failed, aborted/)],
  ]);
  expect(gateway.stats().badCalls).toBe(4);
});

it('an abort refuses also calls that cannot be read', async () => {
  const { gateway } = await rig.connect();
  const run = gateway.run({ runId: 'r' });
  for (const callId of ['c1', 'c2', 'c3', 'c4']) {
    const call = { callId, tool: 'read', args: {} };
    await run.beforeCall(call);
    run.afterCall({ ...call, result: 'same' });
    if (callId === 'c2') run.compacted();
    await rig.round();
  }
  expect((await run.beforeCall({} as never)).action).toBe('abort');
});

it.each([{ runId: 7 }, { runId: 'a\ud800' }, { runId: 'r', agentId: 7 }, null, 5])(
  '%o is no run',
  async (wrong) => {
    const { gateway } = await rig.connect();
    expect(() => gateway.run(wrong as never)).toThrow(expect.objectContaining({ code: 'bad_run' }));
  },
);

it('names that are no valid UTF-8 are the same in the log and here', async () => {
  const { gateway } = await rig.connect();
  const run = gateway.run({ runId: 'r' });
  const actions: string[] = [];
  for (let index = 1; index <= 6; index += 1) {
    const call = { callId: `\ud800${index}`, tool: 'a\ud800b', args: {} };
    const { action } = await run.beforeCall(call);
    if (action !== 'block') run.afterCall({ ...call, result: 'same' });
    await rig.round();
    actions.push(action);
  }
  expect(actions.at(-1)).toBe('block');
});

it('a blocked result that can no longer be read is the veto of another guard', async () => {
  const { gateway } = await rig.connect();
  gateway.run({ runId: 'r' }).afterCall({ tool: 'read', args: {}, result: blockedForAWhile() });
  await rig.settle();
  expect(rig.judging.events().at(-1)).toMatchObject({ type: 'tool_result', outcome: 'vetoed' });
});

it('guard says that there is nothing to run', async () => {
  const { gateway } = await rig.connect();
  const guarded = gateway.run({ runId: 'r' }).guard('read', {}, undefined as never);
  await expect(guarded).rejects.toMatchObject({ code: 'bad_call' });
});

it.each([null, 5, { withinMs: 'x' }, { withinMs: Number.POSITIVE_INFINITY }])(
  'closing within %o is refused, and the gateway stays',
  async (wrong) => {
    const { gateway } = await rig.connect();
    await expect(gateway.close(wrong as never)).rejects.toMatchObject({ code: 'bad_option' });
    expect(gateway.run({ runId: 'r' }).runId).toBe('r');
  },
);

it('an observer and a redaction that fail later end nothing', async () => {
  const unheard = vi.fn();
  process.on('unhandledRejection', unheard);
  const fail = (): Promise<never> => Promise.reject(new Error('later'));
  const { gateway } = await rig.connect({
    observer: fail as never,
    payloads: { tools: ['read'], redact: fail },
  });
  await gateway.run({ runId: 'r' }).beforeCall({ tool: 'read', args: {} });
  await rig.settle();
  process.off('unhandledRejection', unheard);
  expect(unheard).not.toHaveBeenCalled();
  expect(rig.judging.events().at(-1)).toMatchObject({ type: 'tool_call', payload: null });
});
