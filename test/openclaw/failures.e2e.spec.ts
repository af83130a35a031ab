import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kafkaUnderTest } from '../setup/kafka.ts';
import type { Server } from '../setup/processes.ts';
import { asJudged } from './as-judged.ts';
import { builtPlugin, packedPlugin } from './built-plugin.ts';
import { embeddedGuarding, kafkaGuarding } from './guarding.ts';
import { openClawUnderTest } from './installed.ts';
import { OpenClawHome } from './openclaw-home.ts';
import { asks, COMMAND, inTurn, type Played, play, type Stage, words } from './playing.ts';
import { type Script, startScriptedModel } from './scripted-model.ts';

const command = await openClawUnderTest();
const kafka = await kafkaUnderTest();

const POLICY = { tools: { loopDetection: { enabled: true, warningThreshold: 4, criticalThreshold: 6 } } };
const STRICT = { strict: { deadlineMs: 30_000, onDeadline: 'open' } } as const;
const REFUSED = ['refused', 'refused', 'refused'];
const STOPPED = ['ran', 'ran', 'ran', 'ran', 'warned', 'ran', ...REFUSED];

/** A promise that a script waits for at one step, and one that tells when it got there. */
function pauseAt(step: number, script: Script) {
  const reached = Promise.withResolvers<void>();
  const resumed = Promise.withResolvers<void>();
  const paused: Script = async (index) => {
    if (index === step) {
      reached.resolve();
      await resumed.promise;
    }
    return script(index);
  };
  return { script: paused, reached: reached.promise, resume: resumed.resolve };
}

function expectAsJudged({ events }: Played): void {
  for (const { callId, done, due } of asJudged(events, POLICY)) expect([callId, done]).toEqual([callId, due]);
}

describe.skipIf(command === null)('OpenClaw and its guard, when processes die', { timeout: 300_000 }, () => {
  let stage: Stage;
  let detector: Server | undefined;

  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'loopwarden-openclaw-'));
    const guarding = embeddedGuarding(folder);
    stage = { command: command ?? '', plugin: await builtPlugin(), folder, guarding };
    await guarding.apply(POLICY);
    detector = await guarding.detect('detector');
  }, 120_000);
  afterAll(async () => {
    await detector?.stop();
    await rm(stage.folder, { recursive: true, force: true });
  });

  it('a run that goes on in a restarted gateway is refused at the same call', async () => {
    const runId = 'run-of-two-gateways';
    // The first turn is killed while the model thinks about its fourth call, which nobody hears then.
    const { script, reached } = pauseAt(3, inTurn([3, asks(COMMAND)], [1, { text: '' }], [6, asks(COMMAND)]));
    const played = await play(stage, {
      script,
      config: STRICT,
      play: async (home) => {
        const first = await home.startGateway('first');
        const lost = home.gatewayTurn(runId);
        await reached;
        await first.kill();
        await lost;
        const second = await home.startGateway('second');
        const ended = await home.gatewayTurn(runId);
        await second.stop();
        return ended;
      },
    });
    expect(new Set(played.events.map((event) => event.runId))).toEqual(new Set([runId]));
    expect(new Set(played.events.map(({ source }) => source)).size).toBe(2);
    expect(played.ran).toBe(6);
    expect(words(played).slice(-3)).toEqual(REFUSED);
    expectAsJudged(played);
  });

  it('a run whose detector is killed and replaced is refused at the same call', async () => {
    const { script, reached, resume } = pauseAt(5, inTurn([9, asks(COMMAND)]));
    const played = await play(stage, {
      script,
      config: STRICT,
      play: async (home) => {
        const turn = home.turn();
        await reached;
        await detector?.kill();
        resume();
        detector = await stage.guarding.detect('replacement');
        return turn;
      },
    });
    expect(words(played)).toEqual(STOPPED);
    expectAsJudged(played);
  });

  it('without a detector every call runs and every output arrives', async () => {
    const alone = { ...stage, guarding: embeddedGuarding(join(stage.folder, 'alone')) };
    await mkdir(join(stage.folder, 'alone'), { recursive: true });
    await alone.guarding.apply(POLICY);
    const played = await play(alone, { script: inTurn([9, asks(COMMAND)]) });
    expect(played.seen).toEqual(Array.from({ length: 9 }, () => 'hi'));
    expect(played.events.filter(({ type }) => type === 'tool_result')).toHaveLength(9);
    expect(played.ended.status).toBe(0);
  });

  it('without a log OpenClaw works as if the plugin was not there, and says so', async () => {
    const played = await play(stage, {
      script: inTurn([9, asks(COMMAND)]),
      config: { log: { brokers: ['127.0.0.1:1'], registry: { url: 'http://127.0.0.1:1' } } },
    });
    expect(played.seen).toEqual(Array.from({ length: 9 }, () => 'hi'));
    expect(played.ended.status).toBe(0);
    expect(played.log).toContain('Loopwarden guards nothing yet');
  });

  it('installed from a tarball nothing is wrong with it, and it guards', async () => {
    const folder = join(stage.folder, 'fresh');
    await mkdir(folder);
    const model = await startScriptedModel(inTurn([9, asks(COMMAND)]));
    const config = { log: stage.guarding.place, gatewayId: 'fresh', ...STRICT };
    const home = new OpenClawHome({ command: command ?? '', plugin: null, folder, model: model.url, config });
    const tarball = await packedPlugin(folder);
    expect(await home.run('plugins', 'install', `npm-pack:${tarball}`)).toMatchObject({ status: 0 });
    const entry = { enabled: true, hooks: { allowConversationAccess: true }, config };
    home.configure({ ...home.configuration, plugins: { ...plugins(home), entries: { loopwarden: entry } } });
    expect(await home.run('config', 'validate')).toMatchObject({ status: 0 });
    const { out } = await home.run('plugins', 'inspect', 'loopwarden', '--runtime', '--json');
    const { plugin, diagnostics = [] } = JSON.parse(out) as { plugin: object; diagnostics?: unknown[] };
    expect(plugin).toMatchObject({ status: 'loaded', enabled: true });
    expect(diagnostics).toEqual([]);
    expect(await home.turn()).toMatchObject({ status: 0 });
    await model.close();
    expect(words({ seen: model.asked.flatMap(({ results }) => results) })).toEqual(STOPPED);
    expect(readFileSync(join(home.workspace, 'ran.txt'), 'utf8')).toBe('hi\n'.repeat(6));
  });

  describe.skipIf(kafka === null)('on Kafka', () => {
    it('a model that repeats is warned and refused at the same calls', async () => {
      const folder = join(stage.folder, 'kafka');
      await mkdir(folder);
      const guarding = await kafkaGuarding(folder, kafka ?? { brokers: [], registry: '' });
      await guarding.apply(POLICY);
      const judging = await guarding.detect('detector');
      const played = await play(
        { ...stage, guarding },
        { script: inTurn([9, asks(COMMAND)]), config: STRICT },
      );
      await judging.stop();
      expect(words(played)).toEqual(STOPPED);
      expect(played.ran).toBe(6);
      expectAsJudged(played);
    });
  });
});

function plugins(home: OpenClawHome): object {
  return (home.configuration.plugins ?? {}) as object;
}
