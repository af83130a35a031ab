import { SAVED_FORMAT } from '@loopwarden/detection';
import type { InRecord } from '@loopwarden/stream';
import { TOPICS } from '../station.ts';
import { observe } from './ledger.ts';
import { type Mistake, type SimulatedProcess, startProcess, stopProcess } from './process.ts';
import { below, happens, pick, pickWeighted, type World } from './world.ts';

interface Trouble {
  readonly weight: number;
  befall(world: World, mistake: Mistake): void;
}

/** What befalls the detectors of a world and what they keep. */
const TROUBLES: readonly Trouble[] = [
  { weight: 10, befall: tick },
  { weight: 3, befall: startAnother },
  { weight: 2, befall: (world) => onOne(world, 'crashes', { fits: () => true, change: stopProcess }) },
  { weight: 1, befall: (world) => onOne(world, 'leaves', { fits: () => true, change: leave }) },
  { weight: 1.5, befall: (world) => onOne(world, 'is expelled', { fits: isMember, change: expel }) },
  {
    weight: 1,
    befall: (world) => onOne(world, 'is healed', { fits: (process) => process.expelled, change: heal }),
  },
  {
    weight: 1.5,
    befall: (world) =>
      onOne(world, 'freezes', { fits: (process) => process.frozen === undefined, change: freeze }),
  },
  {
    weight: 2,
    befall: (world) =>
      onOne(world, 'thaws', { fits: (process) => process.frozen !== undefined, change: thaw }),
  },
  { weight: 1, befall: rebalance },
  { weight: 1.5, befall: compact },
  { weight: 0.5, befall: bury },
  { weight: 1, befall: damageState },
  { weight: 2, befall: trimEvents },
  { weight: 2, befall: replace },
];

/** Something befalls the detectors. */
export function trouble(world: World, mistake: Mistake): void {
  pickWeighted(world, TROUBLES).befall(world, mistake);
}

/** Nothing goes wrong any more: whoever is expelled or frozen comes back, and somebody is there. */
export function calmDown(world: World, mistake: Mistake): void {
  world.calm = true;
  world.tell(() => 'calm');
  for (const process of [...world.processes]) {
    thaw(world, process);
    if (process.expelled) heal(world, process);
  }
  if (world.processes.length === 0) start(world, mistake);
}

/** Time passes for a process: heartbeats, snapshots. */
export function tickAll({ processes }: World): void {
  for (const { ticks } of processes) for (const beat of [...ticks]) beat();
}

function tick(world: World): void {
  if (world.processes.length === 0) return;
  const { ticks, frozen } = pick(world, world.processes);
  if (frozen === undefined && ticks.size > 0) pick(world, [...ticks])();
}

export function start(world: World, mistake: Mistake): void {
  world.started += 1;
  const name = `d${world.started}`;
  world.tell(() => `${name} starts`);
  startProcess(world, name, mistake);
}

function startAnother(world: World, mistake: Mistake): void {
  if (world.processes.length < 3) start(world, mistake);
}

function onOne(
  world: World,
  what: string,
  {
    fits,
    change,
  }: { fits(process: SimulatedProcess): boolean; change(world: World, process: SimulatedProcess): void },
): void {
  const candidates = world.processes.filter(fits);
  if (candidates.length === 0) return;
  const process = pick(world, candidates);
  world.tell(() => `${process.name} ${what}`);
  change(world, process);
}

function isMember({ expelled }: SimulatedProcess): boolean {
  return !expelled;
}

/** Leaves in good order; if that fails the process ends all the same. */
function leave(world: World, process: SimulatedProcess): void {
  if (process.detector === null || process.frozen !== undefined) return;
  const gone = (): void => stopProcess(world, process);
  process.detector.close().then(gone, gone);
  process.detector = null;
}

/** A step of an upgrade, or of a roll-back: one goes in good order, another comes. */
function replace(world: World, mistake: Mistake): void {
  const serving = world.processes.filter(({ detector, frozen }) => detector !== null && frozen === undefined);
  if (serving.length === 0) return;
  const process = pick(world, serving);
  world.tell(() => `${process.name} is replaced`);
  leave(world, process);
  start(world, mistake);
}

function expel({ broker }: World, process: SimulatedProcess): void {
  process.expelled = true;
  broker.expel(process.name);
}

function heal({ broker }: World, process: SimulatedProcess): void {
  process.expelled = false;
  broker.heal(process.name);
}

function freeze(_world: World, process: SimulatedProcess): void {
  const { promise, resolve } = Promise.withResolvers<void>();
  process.frozen = { thawed: promise, thaw: resolve };
}

function thaw(_world: World, process: SimulatedProcess): void {
  process.frozen?.thaw();
  process.frozen = undefined;
}

function rebalance({ broker, tell }: World): void {
  tell(() => 'a rebalance');
  broker.rebalance('detectors', TOPICS.events);
}

/** The sessions of the dead time out: one whose request to join was under way may still be a member. */
export function bury({ broker, dead }: World): void {
  for (const name of dead) broker.expel(name);
}

function compact({ broker, tell }: World): void {
  tell(() => 'the state is compacted');
  broker.compact(TOPICS.state);
}

/** What may befall a record of the state topic: each makes another law necessary. */
const DAMAGES: readonly ((world: World, record: InRecord, other: InRecord) => void)[] = [
  function flipped(_world, { value }) {
    if (value !== null && value.length > 0) value[value.length >> 1] = (value[value.length >> 1] ?? 0) ^ 1;
  },
  (world, record) => overwrite(world, record, record.value?.slice(0, record.value.length >> 1) ?? null),
  (world, record, other) => overwrite(world, record, other.value),
  (world, record) => overwrite(world, record, null),
  ({ broker }, { partition, offset }) => broker.trim(TOPICS.state, partition, offset + 1),
];

function damageState(world: World): void {
  if (world.mode === 'rolling') return;
  const records = world.broker.records(TOPICS.state, below(world, world.partitions));
  if (records.length === 0) return;
  const damage = pick(world, DAMAGES);
  const record = pick(world, records);
  world.tell(() => `state ${record.partition}:${record.offset} is damaged: ${DAMAGES.indexOf(damage)}`);
  observe(world);
  damage(world, record, pick(world, records));
}

function overwrite(world: World, { partition, key }: InRecord, value: Uint8Array | null): void {
  const record = { topic: TOPICS.state, partition, key, value };
  const log = world.broker.partition(TOPICS.state, partition);
  log.append(record, { now: world.clock.now(), timestamps: 'append' });
  const pages = world.ledger.pages[partition];
  if (pages !== undefined) pages.state = log.range.end;
}

/** The state is lost with whoever could write it again. */
function loseState(world: World, partition: number): void {
  world.tell(() => `state ${partition} is lost`);
  world.broker.trim(TOPICS.state, partition, Number.MAX_SAFE_INTEGER);
  if (world.processes.length > 0) stopProcess(world, pick(world, world.processes));
}

/**
 * Retention: the events log loses its beginning, but nothing that was not judged; in a rolling upgrade nothing
 * that the older version would have to read.
 */
function trimEvents(world: World): void {
  if (world.mode !== 'trimmed' && world.mode !== 'rolling') return;
  const partition = below(world, world.partitions);
  const pages = world.ledger.pages[partition];
  const judged = pages?.commit?.offset ?? 0;
  const limit = world.mode === 'rolling' ? Math.min(judged, pages?.covered.get(SAVED_FORMAT) ?? 0) : judged;
  if (limit <= 0) return;
  const before = happens(world, 0.3) ? limit : below(world, limit);
  world.tell(() => `events ${partition} are trimmed to ${before}`);
  world.broker.trim(TOPICS.events, partition, before);
  if (world.mode === 'trimmed' && happens(world, 0.5)) loseState(world, partition);
}
