import type { Match } from '@loopwarden/detection';
import { CALLS, LONG_SILENCE_MS, POLICIES, RUNS } from './calls.ts';
import { listen } from './ear.ts';
import { answerGaps, applyPolicy, end, type Fleet, joinLate, send, turn, veto, write } from './fleet.ts';
import { below, happens, pick, pickWeighted } from './world.ts';

interface Deed {
  /** How often it is chosen, against the others. */
  readonly weight: number;
  do(fleet: Fleet): void;
}

/** What gateways, agents and operators of a world do. */
const DEEDS: readonly Deed[] = [
  { weight: 8, do: loop },
  { weight: 3, do: alternate },
  { weight: 2, do: work },
  { weight: 3, do: hearNews },
  { weight: 2, do: redeliver },
  { weight: 1, do: (fleet) => send(fleet, anyRun(fleet), { type: 'attach' }) },
  { weight: 1, do: (fleet) => end(fleet, anyRun(fleet)) },
  { weight: 1, do: compactAndLoop },
  { weight: 1, do: release },
  { weight: 0.7, do: (fleet) => applyPolicy(fleet, pick(fleet.world, POLICIES)) },
  { weight: 2, do: (fleet) => fleet.applying.shift()?.() },
  { weight: 0.7, do: lie },
  { weight: 0.7, do: scribble },
  { weight: 0.7, do: (fleet) => joinLate(fleet, RUNS) },
  { weight: 0.3, do: ({ world }) => world.clock.advance(LONG_SILENCE_MS) },
];

/** Something happens in the fleet. */
export function act(fleet: Fleet): void {
  pickWeighted(fleet.world, DEEDS).do(fleet);
}

function anyRun({ world }: Fleet): string {
  return pick(world, RUNS);
}

function loop(fleet: Fleet): void {
  const { world } = fleet;
  const [runId, call] = [anyRun(fleet), pick(world, CALLS)];
  for (let left = 1 + below(world, 5); left > 0; left -= 1) turn(fleet, runId, { call, digest: 'b1' });
}

function alternate(fleet: Fleet): void {
  const runId = anyRun(fleet);
  for (let left = 1 + below(fleet.world, 3); left > 0; left -= 1)
    for (const call of CALLS.slice(0, 2)) turn(fleet, runId, { call, digest: 'b1' });
}

/** Honest work: every result is another. */
function work(fleet: Fleet): void {
  const { world } = fleet;
  const runId = anyRun(fleet);
  for (let left = 1 + below(world, 3); left > 0; left -= 1)
    turn(fleet, runId, { call: pick(world, CALLS), digest: `c${below(world, 1000)}` });
}

function hearNews(fleet: Fleet): void {
  const { world, ear, late } = fleet;
  listen(world, ear, 1 + below(world, 12));
  for (const gateway of late) listen(world, gateway.ear, 1 + below(world, 12));
  answerGaps(fleet);
}

/** A writer that missed its acknowledgement writes the same bytes again. */
function redeliver({ world }: Fleet): void {
  const partition = below(world, world.partitions);
  const events = world.ledger.pages[partition]?.events ?? [];
  const first = Math.max(0, events.length - 1 - below(world, 10));
  for (const { key, value, headers } of events.slice(first, first + 1 + below(world, 4)))
    if (value !== null) write(world, { partition, key, value, headers });
  world.tell(() => `  some of ${first} ff. of ${partition} again`);
}

function compactAndLoop(fleet: Fleet): void {
  const { world } = fleet;
  const [runId, call] = [anyRun(fleet), pick(world, CALLS)];
  send(fleet, runId, { type: 'compaction', retry: happens(world, 0.9) });
  for (let left = 1 + below(world, 3); left > 0; left -= 1) turn(fleet, runId, { call, digest: 'b1' });
}

function release(fleet: Fleet): void {
  const { world } = fleet;
  const { tool, args } = pick(world, CALLS);
  const matches: (Match | null)[] = [
    null,
    { scope: 'signature', tool, args },
    { scope: 'tool', tool, args: null },
  ];
  const own = { match: pick(world, matches), epoch: null, actor: 'op', reason: 'test' };
  send(fleet, anyRun(fleet), { source: 'op', type: 'release', ...own });
}

/** A veto by a verdict that may never have been. */
function lie(fleet: Fleet): void {
  const { world } = fleet;
  const verdict = { epoch: world.clock.now(), sequence: 1 + below(world, 5) };
  veto(fleet, anyRun(fleet), { call: pick(world, CALLS), verdict });
}

/** Bytes that are no event. */
function scribble({ world }: Fleet): void {
  const partition = below(world, world.partitions);
  write(world, { partition, key: 'r0', value: Uint8Array.of(9, below(world, 256), 9, 9, 9, 9) });
  world.tell(() => `  scribbles in ${partition}`);
}
