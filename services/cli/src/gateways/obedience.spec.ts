import type { GatewayEvent, Verdict } from '@loopwarden/detection';
import { expect, it } from 'vitest';
import { digestOf, given, type World } from '../../../../test/given.ts';
import { type GatewayAccount, percentile } from './gateway-account.ts';
import { Obedience, type PlacedEvent, type PublishedVerdict } from './obedience.ts';

/** How long after an event's record the verdicts that it leads to are published. */
const DELAY_MS = 7;

/** Events as they are written, judged as they come; what gateways made of the verdicts is told at the end. */
function recorded(
  tell: (world: World, at: (ms: number) => { at: number }) => void,
): GatewayAccount | undefined {
  const world = given();
  const verdicts: PublishedVerdict[] = [];
  const events: PlacedEvent[] = [];
  const feed = world.feed;
  const hooked: World = { ...world };
  let taken = 0;
  let noted = 0;
  const note = (event: GatewayEvent, at: number): void => {
    const offset = noted++;
    if (event.gatewayId !== 'operator') events.push({ event, offset, at });
    for (const verdict of world.verdicts.slice(taken)) verdicts.push(publishedBy(verdict, offset, at));
    taken = world.verdicts.length;
  };
  hooked.feed = (event, at) => {
    const lines = feed(event, at);
    note(event as GatewayEvent, at);
    return lines;
  };
  tell(hooked, (ms) => ({ at: 1_000_000 + ms }));
  const accounts = new Map<string, GatewayAccount>();
  const obedience = new Obedience(verdicts, accounts);
  for (const event of events) obedience.take(event);
  return accounts.get('gw');
}

function publishedBy(verdict: Verdict, trigger: number, at: number): PublishedVerdict {
  return { verdict, lineage: 0, at: at + DELAY_MS, trigger };
}

let sequence = 0;
const base = (type: string) => ({
  type,
  runId: 'run',
  agentId: 'a',
  sessionId: null,
  gatewayId: 'gw',
  source: 's',
  sequence: ++sequence,
  observedAt: 0,
  callId: null,
  tool: 'read',
  args: digestOf('a'),
  poll: false,
  profiles: 'p',
  keyId: null,
  payload: null,
  seen: null,
});
const call = (fields: object = {}) =>
  ({ ...base('tool_call'), delivered: [], despite: null, ...fields }) as unknown as GatewayEvent;
const result = (fields: object = {}) =>
  ({
    ...base('tool_result'),
    outcome: 'result',
    digest: 'd',
    missingTool: null,
    verdict: null,
    durationMs: 1,
    ...fields,
  }) as unknown as GatewayEvent;

const release = () =>
  ({
    ...base('release'),
    gatewayId: 'operator',
    source: 'op',
    sequence: 1,
    match: null,
    epoch: null,
    actor: 'ada',
    reason: 'looked',
  }) as unknown as GatewayEvent;

/** Five equal turns: the block of the sixth call is #2, published a little after the last result. */
function loop(world: World, at: (ms: number) => { at: number }): void {
  sequence = 0;
  for (let turn = 1; turn <= 5; turn += 1) {
    world.feed(call(), at(turn * 10).at);
    world.feed(result(), at(turn * 10 + 1).at);
  }
}

it('counts vetoes with the time from the record of the verdict', () => {
  const account = recorded((world, at) => {
    loop(world, at);
    const verdict = { epoch: world.verdicts[0]?.epoch ?? 0, sequence: world.verdicts.at(-1)?.sequence ?? 0 };
    world.feed(result({ outcome: 'vetoed', digest: null, verdict, seen: verdict }), at(100).at);
    world.feed(result({ outcome: 'vetoed', digest: null }), at(101).at);
  });
  expect(account).toMatchObject({ vetoes: 1, refusals: 1, enforcedAfterMs: [100 - 51 - DELAY_MS], late: 0 });
});

it('times the first call that a verdict refuses, not how long it goes on refusing', () => {
  const account = recorded((world, at) => {
    loop(world, at);
    const verdict = { epoch: world.verdicts[0]?.epoch ?? 0, sequence: world.verdicts.at(-1)?.sequence ?? 0 };
    const vetoed = () => result({ outcome: 'vetoed', digest: null, verdict, seen: verdict });
    world.feed(vetoed(), at(100).at);
    world.feed(vetoed(), at(600_000).at);
  });
  expect(account).toMatchObject({ vetoes: 2, enforcedAfterMs: [100 - 51 - DELAY_MS] });
});

it.each([
  [[], null, null],
  [[5], 5, 5],
  [[4, 1, 3, 2], 2, 4],
  [Array.from({ length: 200 }, (_, index) => index + 1), 100, 198],
])('half and 99 of 100 of %j', (values, half, most) => {
  expect([percentile(values, 0.5), percentile(values, 0.99)]).toEqual([half, most]);
});

it('a call that ran before its gateway knew the verdict is late', () => {
  const account = recorded((world, at) => {
    loop(world, at);
    world.feed(call(), at(55).at);
  });
  expect(account).toMatchObject({ calls: 6, late: 1, lateByMs: [51 + DELAY_MS - 55], disobeyed: 0 });
});

it('a call that ran although its gateway knew the verdict is disobedience, unless it says why', () => {
  const account = recorded((world, at) => {
    loop(world, at);
    const seen = { epoch: world.verdicts[0]?.epoch ?? 0, sequence: world.verdicts.at(-1)?.sequence ?? 0 };
    world.feed(call({ seen }), at(100).at);
    world.feed(call({ seen, despite: { ...seen, why: 'stale' } }), at(101).at);
  });
  expect(account).toMatchObject({ late: 0, disobeyed: 1, despite: { stale: 1 } });
});

it('numbers that are missing are lost events; what comes again counts once', () => {
  const account = recorded((world, at) => {
    sequence = 0;
    const first = call();
    world.feed(first, at(1).at);
    world.feed(first, at(2).at);
    sequence += 2;
    world.feed(call(), at(3).at);
  });
  expect(account).toMatchObject({ calls: 2, lost: 2 });
});

it('honest calls and calls after a release are nobody’s fault', () => {
  const account = recorded((world, at) => {
    loop(world, at);
    world.feed(release(), at(60).at);
    world.feed(call(), at(70).at);
    world.feed(call({ args: 'other' }), at(71).at);
  });
  expect(account).toMatchObject({ late: 0, disobeyed: 0 });
});
