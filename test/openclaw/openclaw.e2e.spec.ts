import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Server } from '../setup/processes.ts';
import { asJudged } from './as-judged.ts';
import { builtPlugin } from './built-plugin.ts';
import { embeddedGuarding } from './guarding.ts';
import { openClawUnderTest } from './installed.ts';
import { asks, COMMAND, inTurn, type Played, play, type Scene, type Stage, words } from './playing.ts';

const command = await openClawUnderTest();

/** Warned with call 5, refused from call 7 on; a missing tool is refused after 4 tries. */
const POLICY = {
  tools: {
    loopDetection: { enabled: true, warningThreshold: 4, criticalThreshold: 6, unknownToolThreshold: 4 },
  },
};
const STRICT = { strict: { deadlineMs: 20_000, onDeadline: 'open' } } as const;
const READ_A = { tool: 'read', args: { path: 'a.txt' } };
const READ_B = { tool: 'read', args: { path: 'b.txt' } };
const POLL = { tool: 'process', args: { action: 'poll', sessionId: 'gone' } };
const MISSING = { tool: 'no_such_tool', args: { x: 1 } };
const OVERFLOW = { overflow: true } as const;

describe.skipIf(command === null)(
  'a real OpenClaw, guarded from another process',
  { timeout: 300_000 },
  () => {
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

    const strictly = (scene: Scene): Promise<Played> =>
      play(stage, { ...scene, config: { ...STRICT, ...scene.config } });

    /** Nothing was done to any call but what the policy says. */
    function expectAsJudged({ events }: Played): void {
      for (const { callId, done, due } of asJudged(events, POLICY))
        expect([callId, done]).toEqual([callId, due]);
    }

    it('a model that repeats is warned with call 5 and refused from call 7 on, with its own detection on', async () => {
      const scene = { script: inTurn([9, asks(COMMAND)]), ownDetection: { enabled: true } };
      const played = await strictly(scene);
      const refused = Array.from({ length: 3 }, () => 'refused');
      expect(words(played)).toEqual(['ran', 'ran', 'ran', 'ran', 'warned', 'ran', ...refused]);
      expect(played.ran).toBe(6);
      expect(played.ended.status).toBe(0);
      const vetoes = played.events.filter(
        (event) => event.type === 'tool_result' && event.outcome === 'vetoed',
      );
      expect(vetoes).toEqual(vetoes.map(() => expect.objectContaining({ verdict: expect.anything() })));
      expect(played.events.filter(({ type }) => type === 'run_end')).toMatchObject([{ status: 'completed' }]);
      expectAsJudged(played);
    });

    it('a model that polls what does not change is warned and refused', async () => {
      const played = await strictly({ script: inTurn([9, asks(POLL)]) });
      expect(words(played).slice(4)).toEqual(['warned', 'ran', 'refused', 'refused', 'refused']);
      expect(played.verdicts.filter(({ action }) => action === 'block')[0]?.detector).toBe(
        'known_poll_no_progress',
      );
      expectAsJudged(played);
    });

    it('a model that alternates is warned and refused, and again when it goes on alternating', async () => {
      const played = await strictly({
        script: (index) => (index < 12 ? asks(index % 2 === 0 ? READ_A : READ_B) : undefined),
      });
      const first = ['ran', 'ran', 'ran', 'warned', 'ran', 'refused'];
      const then = ['ran', 'ran', 'warned', 'ran', 'ran', 'refused']; // the refused call broke the alternation
      expect(words(played)).toEqual([...first, ...then]);
      expect(played.verdicts.filter(({ action }) => action === 'block')[0]?.detector).toBe('ping_pong');
      expectAsJudged(played);
    });

    it('a model that calls a missing tool is ended after three calls that a verdict refuses', async () => {
      const played = await strictly({ script: inTurn([9, asks(MISSING)]) });
      const calls = played.events.flatMap((event) =>
        event.type === 'tool_call' ? [event.despite?.why ?? null] : [],
      );
      expect(calls).toEqual([null, null, null, null, 'unstoppable', 'unstoppable', 'unstoppable']);
      expect(played.ended.status).toBe(1);
      expect(played.events.at(-1)).toMatchObject({ type: 'run_end', status: 'aborted' });
      expect(played.log).toContain('Loopwarden ends run');
    });

    it('a missing tool is only reported where the host is told so', async () => {
      const config = { onUnstoppable: { action: 'report' } } as const;
      const played = await strictly({ script: inTurn([8, asks(MISSING)]), config });
      expect(played.events.filter(({ type }) => type === 'tool_call')).toHaveLength(8);
      expect(played.ended.status).toBe(0);
      expect(played.events.at(-1)).toMatchObject({ type: 'run_end', status: 'completed' });
    });

    it.each([
      ['within an attempt', {}],
      ['between attempts', { mode: 'safeguard' }],
    ])('a model that loops after a compaction %s is ended after three calls', async (_, compaction) => {
      const script = inTurn([2, asks(COMMAND)], [1, OVERFLOW], [6, asks(COMMAND)]);
      const played = await strictly({ script, compaction, ownDetection: { enabled: false } });
      expect(played.events.filter(({ type }) => type === 'compaction')).toMatchObject([{ retry: true }]);
      expect(played.ran).toBe(5);
      expect(played.ended.status).toBe(1);
      expect(played.verdicts.filter(({ action }) => action === 'abort')).toHaveLength(1);
      const ends = played.events.filter(({ type }) => type === 'run_end');
      expect(ends).toMatchObject([{ status: 'aborted', verdict: expect.anything() }]);
      expectAsJudged(played);
    });

    it('with both guards on after a compaction one of them ends the run, and the log says which', async () => {
      const script = inTurn([2, asks(COMMAND)], [1, OVERFLOW], [6, asks(COMMAND)]);
      const played = await strictly({ script, compaction: { mode: 'safeguard' } });
      expect(played.ended.status).toBe(1);
      expect(played.ran).toBe(5);
      const own = played.log.includes("OpenClaw's own post-compaction guard, not Loopwarden, ended run");
      expect([own, played.log.includes('Loopwarden ends run')].filter(Boolean)).toHaveLength(1);
      const ends = played.events.filter(({ type }) => type === 'run_end');
      expect(ends).toMatchObject([{ status: own ? 'failed' : 'aborted' }]);
    });

    it('a run that recovered from an overflow and went on with other work is completed', async () => {
      const script = inTurn([2, asks(COMMAND)], [1, OVERFLOW], [1, asks(READ_A)], [1, asks(READ_B)]);
      const played = await strictly({ script });
      expect(words(played)).toEqual(['ran', 'ran', 'ran', 'ran']);
      expect(played.events.filter(({ type }) => type === 'run_end')).toMatchObject([{ status: 'completed' }]);
    });

    it('parallel calls of one message are decided one after the other', async () => {
      const script = inTurn(
        [1, asks(COMMAND, READ_A, COMMAND)],
        [1, asks(COMMAND, COMMAND)],
        [4, asks(COMMAND, READ_B)],
      );
      const played = await strictly({ script });
      expect(played.seen).toHaveLength(13);
      expect(words(played)).toContain('warned');
      expect(words(played)).toContain('refused');
      expectAsJudged(played);
    });

    it('an honest run of 60 calls is left alone, and every call of every kind is an event', async () => {
      const work = (index: number) => {
        const path = `file-${index % 20}.txt`;
        if (index % 3 === 0) return { tool: 'write', args: { path, content: `version ${index}` } };
        if (index % 3 === 1) return { tool: 'read', args: { path: `file-${(index - 1) % 20}.txt` } };
        return { tool: 'exec', args: { command: `echo ${index} | tee -a ran.txt` } };
      };
      const script = (index: number) => (index < 60 ? asks(work(index)) : undefined);
      const played = await strictly({ script, ownDetection: { enabled: true } });
      expect(words(played)).toEqual(Array.from({ length: 60 }, () => 'ran'));
      expect(played.seen.filter((_, index) => index % 3 === 2)).toEqual(
        Array.from({ length: 20 }, (_, index) => String(index * 3 + 2)),
      );
      expect(played.verdicts).toEqual([]);
      const types = ['tool_call', 'tool_result', 'run_end'].map(
        (type) => played.events.filter((event) => event.type === type).length,
      );
      expect(types).toEqual([60, 60, 1]);
      expect(played.ended.status).toBe(0);
    });

    it('results of every kind reach the model as they are and are told as what they are', async () => {
      const calls = [
        { tool: 'read', args: { path: 'nowhere.txt' } },
        { tool: 'exec', args: { command: 'echo out; exit 3' } },
        { tool: 'read', args: { pat: 'a.txt' } },
        READ_A,
      ];
      const played = await strictly({
        script: (index) => (index < 4 ? asks(calls[index] ?? READ_A) : undefined),
      });
      const results = played.events.flatMap((event) => (event.type === 'tool_result' ? [event.outcome] : []));
      expect(results).toEqual(['error', 'result', 'error', 'result']);
      expect(played.seen[0]).toContain('ENOENT');
      expect(played.seen[1]).toContain('Command exited with code 3');
      expect(played.seen[2]).toContain('Validation failed');
      expect(played.seen[3]).toBe('the content of a');
    });

    it("where OpenClaw's own detection acts first, its blocks are vetoes of another guard", async () => {
      const ownDetection = { enabled: true, warningThreshold: 2, criticalThreshold: 4 };
      const played = await strictly({ script: inTurn([8, asks(COMMAND)]), ownDetection });
      expect(played.ran).toBe(4);
      const vetoes = played.events.filter(
        (event) => event.type === 'tool_result' && event.outcome === 'vetoed',
      );
      expect(vetoes).toMatchObject(Array.from({ length: 4 }, () => ({ verdict: null })));
      expect(played.log).toContain("OpenClaw's own loop detection, not Loopwarden, refused exec");
      expect(played.ended.status).toBe(0);
    });
  },
);
