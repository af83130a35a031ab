import { afterEach, beforeEach, expect, it } from 'vitest';
import { Rig } from '../../../test/gateway/rig.ts';
import { connectTo, type RecordedHook, RecordedHost } from '../../../test/openclaw/recorded-host.ts';
import aborted from '../../../test/openclaw/samples/aborted.json' with { type: 'json' };
import betweenAttempts from '../../../test/openclaw/samples/compaction-between-attempts.json' with {
  type: 'json',
};
import withinAttempt from '../../../test/openclaw/samples/compaction-within-attempt.json' with {
  type: 'json',
};
import kinds from '../../../test/openclaw/samples/kinds-of-calls.json' with { type: 'json' };
import own from '../../../test/openclaw/samples/own-detection.json' with { type: 'json' };

let rig: Rig;
let host: RecordedHost;

beforeEach(() => {
  rig = new Rig({ policy: {} });
  host = new RecordedHost(connectTo(rig));
});
afterEach(() => rig.close());

/** What the log holds, each event in a few words. */
function told(): string[] {
  return rig.judging.events().flatMap((event) => {
    if (event.type === 'tool_call') return [`call ${event.tool}`];
    if (event.type === 'tool_result') return [`${event.outcome} ${event.tool}`];
    if (event.type === 'run_end') return [`end ${event.status}`];
    return [event.type];
  });
}

it('calls and results of every kind become events, missing tools and invalid arguments too', async () => {
  await host.replay(kinds, rig);
  expect(told()).toEqual([
    'attach',
    ...['call read', 'result read'],
    ...['call read', 'error read'], // there was no such file
    ...['call exec', 'result exec'],
    ...['call exec', 'result exec'], // exit code 3
    ...['call exec', 'result exec'], // no such command
    ...['call nosuch', 'error nosuch'],
    ...['call read', 'error read'], // arguments that fail validation
    ...['call read', 'call exec', 'result read', 'result exec'], // at the same time
    'end completed',
  ]);
  const missing = rig.judging
    .events()
    .flatMap((event) => (event.type === 'tool_result' ? [event.missingTool] : []));
  expect(missing.filter((tool) => tool !== null)).toEqual(['nosuch']);
});

it.each([
  ['within an attempt', withinAttempt],
  ['between attempts', betweenAttempts],
])('a compaction %s is one event in the midst of the run, which ends once', async (_, recorded) => {
  await host.replay(recorded, rig);
  const work = ['call exec', 'result exec', 'call exec', 'result exec'];
  expect(told()).toEqual(['attach', ...work, 'compaction', ...work, 'end completed']);
});

it('a run that is ended in the midst of a call ends as aborted', async () => {
  await host.replay(aborted, rig);
  expect(told().at(-1)).toBe('end aborted');
  expect(told().filter((line) => line.startsWith('end'))).toHaveLength(1);
});

it("blocks of OpenClaw's own detection are vetoes of another guard", async () => {
  await host.replay(own, rig);
  expect(told()).toEqual([
    'attach',
    ...Array.from({ length: 3 }, () => ['call exec', 'result exec']).flat(),
    ...['vetoed exec', 'vetoed exec'],
    'end completed',
  ]);
  expect(host.said.filter((line) => line.includes("OpenClaw's own loop detection"))).toHaveLength(2);
});

it('events that each registration is handed are told once', async () => {
  const twice = (recorded: readonly RecordedHook[]) =>
    recorded.flatMap((one) => (one.hook === 'agent_event' ? [one, one] : [one]));
  await host.replay(twice(withinAttempt), rig);
  expect(told().filter((line) => line === 'compaction' || line.startsWith('end'))).toEqual([
    'compaction',
    'end completed',
  ]);
});
