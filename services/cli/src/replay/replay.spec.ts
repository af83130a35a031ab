import { expect, test } from 'vitest';
import type { JsonObject } from '../json-value.ts';
import { WATCHING } from '../policy/policy-file.ts';
import type { PublicEvent } from '../transcript/public-event.ts';
import { closingLines, runTable, verdictText } from './people.ts';
import { Replay } from './replay.ts';
import type { RunReport, VerdictReport } from './report.ts';
import { addRun, openTotals } from './totals.ts';

const PLAIN = { out: () => undefined, err: () => undefined, paint: (_style: string, text: string) => text };

const NOTHING_READ = {
  formats: new Map(),
  refused: 0,
  refusedFiles: [],
  lines: 0,
  events: 0,
  skipped: 0,
  unreadable: 0,
  truncated: 0,
  invalid: 0,
};

const START = 1_764_500_000_000;

interface Step {
  readonly path?: string;
  readonly text?: string;
  readonly runId?: string;
}

/** A call every ten seconds, its result four seconds later. */
function calls(steps: readonly Step[]): PublicEvent[] {
  return steps.flatMap(({ path = 'a', text = 'same', runId = 'r' }, index) => {
    const call = { runId, callId: `c${index}`, tool: 'read', args: { path } };
    const at = START + index * 10_000;
    return [
      { ...call, type: 'tool_call', at },
      { ...call, type: 'tool_result', result: { content: [{ type: 'text', text }] }, at: at + 4_000 },
    ];
  });
}

function replayed(events: readonly PublicEvent[], policy: JsonObject = WATCHING) {
  const verdicts: VerdictReport[] = [];
  const runs: RunReport[] = [];
  const replay = new Replay(policy, {
    verdict: (report) => verdicts.push(report),
    run: (report) => runs.push(report),
  });
  const refused = events.map((event) => replay.feed(event)).filter((error) => error !== null);
  replay.finish();
  const told = verdicts.map(({ verdict, atCall }) => `${verdict.action} ${verdict.detector} at ${atCall}`);
  return { told, verdicts, runs, refused, notes: replay.notes };
}

const times = (count: number, step: Step = {}): Step[] => Array.from({ length: count }, () => step);

test('a loop is listed once a step: its warning, then its block, however long it goes on', () => {
  const { told } = replayed(calls(times(60)));
  expect(told).toEqual(['warn generic_repeat at 10', 'block generic_repeat at 20']);
});

test('calls with changing results are warned of once for each ten more, and never blocked', () => {
  const steps = times(30).map((step, index) => ({ ...step, text: `${index}` }));
  const { told, runs } = replayed(calls(steps));
  expect(told).toEqual([10, 20, 30].map((count) => `warn generic_repeat at ${count}`));
  expect(runs[0]?.saved).toEqual({ calls: 0, ms: 0 });
});

test('what a block would have saved: the calls made while it stood, with their durations', () => {
  const { runs } = replayed(calls(times(25)));
  expect(runs[0]).toMatchObject({ calls: 25, firstVerdictAtCall: 10, saved: { calls: 5, ms: 20_000 } });
});

test('where no times were recorded none are told', () => {
  const untimed = calls(times(25)).map(({ at: _, ...event }) => event);
  expect(replayed(untimed).runs[0]?.saved).toEqual({ calls: 5, ms: null });
  const measured = untimed.map((event) =>
    event.type === 'tool_result' ? { ...event, durationMs: 7 } : event,
  );
  expect(replayed(measured).runs[0]?.saved).toEqual({ calls: 5, ms: 35 });
});

test('the table shows calls without times as such, and the sum says what it leaves out', () => {
  const timed = calls(times(25));
  const untimed = calls(times(25, { runId: 'untimed' })).map(({ at: _, ...event }) => event);
  const { runs } = replayed([...timed, ...untimed]);
  expect(runTable(runs, PLAIN).map((line) => /\d+ calls, .+$/.exec(line)?.[0])).toEqual([
    undefined,
    '5 calls, 20 s',
    '5 calls, –',
  ]);
  const totals = openTotals();
  for (const run of runs) addRun(totals, run);
  expect(closingLines(totals, NOTHING_READ, PLAIN)[0]).toContain(
    'saved 10 calls and 20 s (of 5 no times were recorded).',
  );
});

test('a loop that was left and comes again is listed again', () => {
  const { told } = replayed(calls([...times(20), { text: 'other' }, ...times(20, { text: 'third' })]));
  expect(told.filter((line) => line.startsWith('block'))).toEqual([
    'block generic_repeat at 20',
    'block generic_repeat at 41',
  ]);
});

test('the two sides of a ping-pong are one loop', () => {
  const steps = times(40).map((_, index) => ({ path: index % 2 === 0 ? 'a' : 'b' }));
  const { told, verdicts } = replayed(calls(steps));
  expect(told.filter((line) => line.startsWith('block'))).toEqual(['block ping_pong at 19']);
  const block = verdicts.find(({ verdict }) => verdict.action === 'block');
  expect(block).toMatchObject({ args: '{"path":"b"}', otherArgs: '{"path":"a"}', sameResult: true });
  expect(block?.calls).toHaveLength(19);
});

test('evidence names the calls by number, those of other signatures left out', () => {
  const { verdicts } = replayed(calls([{ path: 'x' }, ...times(10), { path: 'y' }]));
  expect(verdicts[0]?.calls).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  expect(verdicts[0]?.args).toBe('{"path":"a"}');
});

test('an abort saves everything until the last event of its run', () => {
  const events = calls(times(7));
  const compaction = { type: 'compaction', runId: 'r', at: START + 25_000 };
  const { told, runs } = replayed([...events.slice(0, 6), compaction, ...events.slice(6)]);
  expect(told).toEqual(['abort compaction_loop_persisted at 6']);
  expect(runs[0]?.saved).toEqual({ calls: 1, ms: 10_000 });
});

test('a compaction by hand arms nothing', () => {
  const compaction = { type: 'compaction', runId: 'r', retry: false, at: START };
  expect(replayed([compaction, ...calls(times(5))]).told).toEqual([]);
});

test('runs are judged by themselves, whatever the order of their times', () => {
  const day = 86_400_000;
  const late = calls(times(10, { runId: 'late' })).map((event) => ({
    ...event,
    at: Number(event.at) + 9 * day,
  }));
  const early = calls(times(10, { runId: 'early' }));
  const mixed = late.flatMap((event, index) => [event, early[index]].filter((one) => one !== undefined));
  expect(replayed(mixed).told).toHaveLength(2);
});

test('a redelivered event changes nothing', () => {
  const events = calls(times(10)).map((event, index) => ({ ...event, source: 's', sequence: index + 1 }));
  const { runs, notes, told } = replayed(events.flatMap((event) => [event, event]));
  expect(told).toEqual(['warn generic_repeat at 10']);
  expect(runs[0]?.calls).toBe(10);
  expect(notes.get('duplicate')).toBe(20);
});

test('a policy in the recording takes over', () => {
  const policy = { tools: { loopDetection: { enabled: true, warningThreshold: 3, criticalThreshold: 5 } } };
  const events = calls(times(8));
  const { told } = replayed([...events.slice(0, 4), { type: 'policy', policy }, ...events.slice(4)]);
  expect(told).toEqual(['warn generic_repeat at 3', 'block generic_repeat at 5']);
});

test('what would only be observed is listed, marked, and counted as saved', () => {
  const policy = { tools: { loopDetection: { enabled: true, observe: true } } };
  const { verdicts, runs } = replayed(calls(times(21)), policy);
  expect(verdicts.map(({ verdict }) => verdict.shadow)).toContain(true);
  expect(runs[0]?.saved.calls).toBe(1);
});

test('an event that breaks a rule is refused with a reason, the others count', () => {
  const { refused, runs } = replayed([{ type: 'tool_call', runId: 'r' }, ...calls(times(1))]);
  expect(refused).toMatchObject([{ code: 'missing_field' }]);
  expect(runs[0]?.calls).toBe(1);
});

test('arguments nested deeper than can be written are judged like any', () => {
  const args: unknown = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
  const { told } = replayed(calls(times(20)).map((event) => ({ ...event, args })));
  expect(told).toEqual(['warn generic_repeat at 10', 'block generic_repeat at 20']);
});

test('no control character of a tool name reaches the terminal', () => {
  const tool = '\u001b[31mred\u009b';
  const { verdicts } = replayed(calls(times(20)).map((event) => ({ ...event, tool })));
  const lines = verdicts.flatMap((report) => verdictText(report, PLAIN));
  expect(lines.join('')).toContain('red');
  expect(lines.join('')).not.toMatch(/\p{Cc}/u);
});
