import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compilePolicy, type Verdict } from '@loopwarden/detection';
import type { Batch, InRecord } from '@loopwarden/stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { replayCommand } from '../commands/replay.ts';
import type { OpenedLog } from '../open-log.ts';
import { readRevisions } from '../policy/revisions.ts';
import { type JudgedLog, judgedLog, publishedIn, SMALL } from '../testing/judged-log.ts';
import { runCommand } from '../testing/run-command.ts';
import { recordsOf } from '../testing/temporary-log.ts';
import type { RunChange } from './policy-change.ts';
import type { Finding, Revived } from './replay-listener.ts';
import { replayLog } from './replay-log.ts';
import type { ReplaySettings } from './replay-settings.ts';

const ALL = ['--from', '2001-01-01T00:00:00Z'];

/** What the command says of the log, as JSON. */
async function command({ dataDir }: JudgedLog, ...args: string[]) {
  const said = await runCommand(replayCommand, '--data-dir', dataDir, '--json', ...args);
  const lines = said.out.map((line) => JSON.parse(line));
  return { ...said, lines, summary: lines.at(-1) };
}

/** What a replay finds. */
async function replay(opened: OpenedLog, settings: Partial<ReplaySettings> = {}) {
  const found: Finding[] = [];
  const changes: RunChange[] = [];
  const revived: Revived[] = [];
  const others: Verdict[] = [];
  const own = { since: 0, runId: null, agentId: null, other: null, keys: null, maxRuns: 1000 };
  const tally = await replayLog(opened, {
    settings: { ...own, revisions: await readRevisions(opened, null), ...settings },
    until: null,
    listener: {
      found: (finding) => void found.push(finding),
      other: (verdict) => void others.push(verdict),
      changed: (change) => void changes.push(change),
      revived: (event) => void revived.push(event),
    },
    progress: { begin: () => undefined, add: () => undefined },
  });
  const states = found.map(({ state, recomputed, published }) => {
    const { runId, sequence } = (recomputed ?? published).verdict;
    return `${state} ${runId}#${sequence}`;
  });
  return { found, states, changes, revived, others, tally };
}

/** The log as it would be if the control topic had been written otherwise. */
function tampered(opened: OpenedLog, change: (record: InRecord) => readonly InRecord[]): OpenedLog {
  const { reader } = opened.log;
  async function* changed(batches: AsyncIterable<Batch>): AsyncGenerator<Batch> {
    for await (const batch of batches) yield { ...batch, records: batch.records.flatMap(change) };
  }
  const read: typeof reader.read = (options) =>
    options.topic === opened.topics.control ? changed(reader.read(options)) : reader.read(options);
  const own = { ranges: reader.ranges.bind(reader), offsetsAt: reader.offsetsAt.bind(reader) };
  const log = { ...opened.log, reader: { ...own, read, committed: reader.committed.bind(reader) } };
  return { ...opened, log: Object.assign(Object.create(opened.log), log) };
}

function sequenceOf({ codec }: OpenedLog, { value }: InRecord): number | null {
  const decoded = codec.decodeControl(value ?? new Uint8Array());
  return decoded.ok && decoded.value.type === 'verdict' ? decoded.value.verdict.sequence : null;
}

/** One run that is warned and blocked, judged. */
async function loopingRun(): Promise<JudgedLog> {
  const log = await judgedLog(onTestFinished);
  await log.gateway.attach('r-1');
  await log.gateway.loop('r-1', 6);
  await log.judge();
  return log;
}

describe('what was published', () => {
  it('is found equal, whole runs and policies in between included', async () => {
    const log = await judgedLog(onTestFinished);
    for (const run of ['r-1', 'r-2', 'r-3', 'r-4']) {
      await log.gateway.attach(run);
      await log.gateway.loop(run, 5);
    }
    await log.apply({
      tools: { loopDetection: { enabled: true, warningThreshold: 2, criticalThreshold: 4 } },
    });
    await log.gateway.loop('r-1', 2);
    await log.gateway.end('r-1');
    await log.judge();
    const { status, lines, summary } = await command(log, ...ALL);
    const published = await publishedIn(log);
    const ids = published.map(({ verdict }) => `${verdict.runId}/${verdict.epoch}.${verdict.sequence}`);
    expect(ids.length).toBeGreaterThan(16);
    expect(lines.flatMap(({ type, id }) => (type === 'verdict' ? [id] : [])).sort()).toEqual(ids.sort());
    const none = { different: 0, missing: 0, unexpected: 0, pending: 0 };
    expect(summary).toMatchObject({ verdicts: { equal: ids.length, ...none }, partial: 0, warmUp: 0 });
    expect(status).toBe(0);
  });

  it('is missing where it was lost, and everything else stays equal', async () => {
    const { opened } = await loopingRun();
    const lost = tampered(opened, (record) => (sequenceOf(opened, record) === 2 ? [] : [record]));
    const { states } = await replay(lost);
    expect(states.sort()).toEqual([
      'equal r-1#1',
      'equal r-1#3',
      'equal r-1#4',
      'equal r-1#5',
      'missing r-1#2',
    ]);
  });

  it('is different where its body is, and each field that differs is named', async () => {
    const log = await loopingRun();
    const { opened } = log;
    const { codec } = opened;
    const wrong = tampered(opened, (record) => {
      const decoded = codec.decodeControl(record.value ?? new Uint8Array());
      if (!decoded.ok || decoded.value.type !== 'verdict' || decoded.value.verdict.sequence !== 4)
        return [record];
      return [{ ...record, value: codec.encodeVerdict({ ...decoded.value.verdict, count: 17 }) }];
    });
    const { found } = await replay(wrong);
    const different = found.filter(({ state }) => state !== 'equal');
    expect(different).toMatchObject([
      { state: 'different', published: { verdict: { count: 17 } }, recomputed: { verdict: { count: 5 } } },
    ]);
  });

  it('is unexpected where no event leads to it', async () => {
    const { opened } = await loopingRun();
    const { codec } = opened;
    const invented = tampered(opened, (record) => {
      const decoded = codec.decodeControl(record.value ?? new Uint8Array());
      if (!decoded.ok || decoded.value.type !== 'verdict' || decoded.value.verdict.sequence !== 5)
        return [record];
      return [record, { ...record, value: codec.encodeVerdict({ ...decoded.value.verdict, sequence: 6 }) }];
    });
    const { states } = await replay(invented);
    expect(states.filter((state) => !state.startsWith('equal'))).toEqual(['unexpected r-1#6']);
  });

  it('counts once when a detector that died says it again', async () => {
    const { opened } = await loopingRun();
    const again = tampered(opened, (record) => [record, record]);
    const { states, tally } = await replay(again);
    expect(states.every((state) => state.startsWith('equal'))).toBe(true);
    expect(tally.repeated).toBe(5);
  });

  it('is pending, not missing, while no detector has judged the event', async () => {
    const { opened, gateway } = await loopingRun();
    await gateway.loop('r-1', 1);
    const { states } = await replay(opened);
    expect(states.filter((state) => !state.startsWith('equal'))).toEqual(['pending r-1#6']);
  });
});

describe('a part of the log', () => {
  it('is judged from what went before, which is not compared', async () => {
    const log = await loopingRun();
    const { opened, gateway } = log;
    const before = await recordsOf(opened, opened.topics.events, 0);
    await new Promise((resolve) => setTimeout(resolve, 20));
    const since = Date.now();
    await gateway.loop('r-1', 2);
    await log.judge();
    const { states, tally } = await replay(opened, { since });
    expect(states).toEqual(['equal r-1#6', 'equal r-1#7']);
    expect(tally.events).toBe(4);
    expect(tally.warmUp).toBeGreaterThanOrEqual(before.length);
  });

  it('may be one run or one agent', async () => {
    const log = await loopingRun();
    await log.gateway.loop('r-2', 5);
    await log.judge();
    const one = await command(log, '--run', 'r-2');
    expect(new Set(one.lines.slice(0, -1).map(({ runId }) => runId))).toEqual(new Set(['r-2']));
    expect(one.summary.verdicts).toMatchObject({ equal: 4, missing: 0, unexpected: 0 });
    const nobody = await command(log, '--agent', 'nobody');
    expect(nobody.summary.verdicts).toMatchObject({ equal: 0, missing: 0, unexpected: 0 });
  });
});

it.each([
  [['--run', 'r-2'], 'no event of run "r-2".'],
  [['--agent', 'writer'], 'no event of agent "writer".'],
  [['--run', 'r-1', '--agent', 'writer'], 'no event of run "r-1" of agent "writer".'],
  [['--run', 'r-1', '--from', '2999-01-01T00:00:00Z'], 'no event of run "r-1" from 2999-01-01T00:00:00Z.'],
  [['--from', '2999-01-01T00:00:00Z'], 'no event from 2999-01-01T00:00:00Z. Widen the time.'],
  [['--to', '2001-01-01T00:00:00Z'], 'no event before 2001-01-01T00:00:00Z. Widen the time.'],
  [['--run', 'r-1', '--to', '2001-01-01T00:00:00Z'], 'no event of run "r-1" before 2001-01-01T00:00:00Z.'],
])('%j names nothing in the log, and that is said', async (args, says) => {
  const { dataDir } = await loopingRun();
  const said = await runCommand(replayCommand, '--data-dir', dataDir, ...args);
  expect(said).toMatchObject({ status: 2, out: [], err: [expect.stringContaining(says)] });
  expect(said.err[0]).toMatch(/\[no_events\]$/);
});

it('a run without any verdict is judged again like any', async () => {
  const log = await judgedLog(onTestFinished);
  await log.gateway.call('quiet');
  await log.judge();
  const { status, summary } = await command(log, '--run', 'quiet', '--agent', 'coder');
  expect(status).toBe(0);
  expect(summary).toMatchObject({ wanted: 1 });
});

describe('a second policy', () => {
  const stricter = { tools: { loopDetection: { enabled: true, warningThreshold: 2, criticalThreshold: 3 } } };
  const laxer = { tools: { loopDetection: { enabled: true } } };

  it('shows which runs would have been blocked earlier, no longer or newly', async () => {
    const log = await loopingRun();
    await log.gateway.loop('r-2', 4);
    await log.judge();
    const { changes, others } = await replay(log.opened, { other: compilePolicy(stricter) });
    const told = changes.map(({ runId, change }) => `${runId} ${change}`);
    expect(told.sort()).toEqual(['r-1 earlier', 'r-2 newly']);
    expect(others.filter(({ action }) => action === 'block').length).toBeGreaterThan(1);
    const { changes: fewer } = await replay(log.opened, { other: compilePolicy(laxer) });
    expect(fewer).toMatchObject([{ runId: 'r-1', change: 'never', other: null }]);
    const { changes: alike } = await replay(log.opened, { other: compilePolicy(SMALL) });
    expect(alike).toMatchObject([{ runId: 'r-1', change: 'same' }]);
  });

  it('is read from a file, and its changes stand in the summary', async () => {
    const log = await loopingRun();
    const file = join(log.dataDir, 'stricter.json5');
    await writeFile(file, JSON.stringify(stricter));
    const { summary, lines } = await command(log, ...ALL, '--policy', file);
    expect(summary.changes).toMatchObject({ earlier: 1, never: 0 });
    expect(lines.find(({ type }) => type === 'change')).toMatchObject({ runId: 'r-1', change: 'earlier' });
  });
});

it('an event that was a dead letter and can be read now is told', async () => {
  const { opened } = await loopingRun();
  const { codec, topics } = opened;
  const [found] = (await replay(opened)).found;
  const { partition = 0 } = found ?? {};
  const letter = codec.encodeDeadLetter({
    ...{ topic: topics.events, partition, offset: 2, timestamp: 0 },
    ...{ code: 'unknown_schema', detail: 'no schema of the id 99 is known', key: null, value: null },
  });
  await opened.log.writer().append([{ topic: topics.deadLetters, partition: 0, key: null, value: letter }]);
  const { revived } = await replay(opened);
  expect(revived).toEqual([
    { partition, offset: 2, code: 'unknown_schema', runId: 'r-1', eventType: 'tool_call' },
  ]);
});

it('nothing is written to the log', async () => {
  const log = await loopingRun();
  const ends = async () =>
    Promise.all(Object.values(log.opened.topics).map((topic) => log.opened.log.reader.ranges(topic)));
  const before = await ends();
  await command(log, ...ALL);
  expect(await ends()).toEqual(before);
});

it.each([
  [['--from', 'yesterday'], 'bad_time'],
  [['--from', '2026-02-01T00:00:00Z', '--to', '2026-01-01T00:00:00Z'], 'bad_time'],
  [['some.jsonl', '--run', 'r-1'], 'log_or_path'],
])('%j is refused', async (args, code) => {
  const log = await judgedLog(onTestFinished);
  const { status, err } = await command(log, ...args);
  expect(status).toBe(2);
  expect(err.join()).toContain(`[${code}]`);
});
