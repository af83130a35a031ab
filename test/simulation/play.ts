import { POLICIES } from './calls.ts';
import { checkControl } from './check-control.ts';
import { checkDeadLetters, checkLate, checkReader } from './check-standings.ts';
import { act } from './deeds.ts';
import { listen } from './ear.ts';
import { answerGaps, applyPolicy, type Fleet, openFleet } from './fleet.ts';
import { observe } from './ledger.ts';
import { type Mistake, stopProcess } from './process.ts';
import { bury, calmDown, start, tickAll, trouble } from './trouble.ts';
import { below, happens, openWorld, UNBROKEN, type World } from './world.ts';

/** What became of a seed. */
export interface Played {
  readonly seed: number;
  /** What is wrong; empty: nothing. */
  readonly wrongs: readonly string[];
  readonly trace: readonly string[];
}

/** More steps than any world takes whose detectors get anywhere. */
const STEPS_MAX = 30_000;

/** Plays a seed; a failing one is played again, to the letter, with its trace. */
export async function play(seed: number, mistake: Mistake = {}): Promise<Played> {
  const wrongs = await playWorld(openWorld(seed, null), mistake);
  return wrongs.length === 0 ? { seed, wrongs, trace: [] } : trace(seed, mistake);
}

/** Plays a seed and writes down what happens. */
export async function trace(seed: number, mistake: Mistake = {}): Promise<Played> {
  const lines: string[] = [];
  const wrongs = await playWorld(openWorld(seed, lines), mistake);
  return { seed, wrongs, trace: lines };
}

async function playWorld(world: World, mistake: Mistake): Promise<readonly string[]> {
  world.tell(() => `seed ${world.seed}: ${world.mode}, ${world.partitions} partitions`);
  const fleet = openFleet(world);
  applyPolicy(fleet, POLICIES[0] ?? '{}');
  if (happens(world, 0.9)) for (const write of fleet.applying.splice(0)) write();
  start(world, mistake);
  try {
    for (let left = 150 + below(world, 500); left > 0; left -= 1) await live(fleet, mistake);
    calmDown(world, mistake);
    for (const write of fleet.applying.splice(0)) write();
    await drain(world);
    bury(world);
    if (world.processes.length === 0) start(world, mistake);
    await drain(world);
    return await settle(fleet);
  } catch (failure) {
    return [...world.ledger.wrongs, failure instanceof Error ? (failure.stack ?? '') : String(failure)];
  } finally {
    for (const process of [...world.processes]) stopProcess(world, process);
    for (const end of world.endings) end();
  }
}

/** One moment: mostly a task of the log or a process, sometimes a deed or a trouble. */
async function live(fleet: Fleet, mistake: Mistake): Promise<void> {
  const { world } = fleet;
  if (happens(world, 0.04)) act(fleet);
  else if (happens(world, 0.06)) trouble(world, mistake);
  else await world.step();
  observe(world);
}

/** Lets everything that is under way come to its end. */
async function drain(world: World): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  for (let left = STEPS_MAX; await world.step(); left -= 1) {
    observe(world);
    if (left === 0) throw new Error('The detectors never come to rest.');
  }
}

/** The world is calm: late gateways catch up and heal, and everything is compared. */
async function settle(fleet: Fleet): Promise<readonly string[]> {
  const { world } = fleet;
  const beat = async (): Promise<void> => {
    tickAll(world);
    await drain(world);
    for (const { ear } of fleet.late) listen(world, ear);
    answerGaps(fleet);
    await drain(world);
    for (const { ear } of fleet.late) listen(world, ear);
  };
  await beat();
  const missed = checkLate(fleet, true);
  await beat();
  const parts = world.ledger.pages.flatMap((_, partition) => [
    ...checkLineage(world, partition),
    ...checkControl(world, partition),
  ]);
  const heard = [...checkReader(world), ...missed, ...checkLate(fleet, false)];
  return [...world.ledger.wrongs, ...parts, ...heard, ...checkDeadLetters(world)];
}

/** Where nothing is lost that somebody needs, the first lineage goes on for ever. */
function checkLineage({ mode, ledger }: World, partition: number): readonly string[] {
  const begun = ledger.pages[partition]?.claims.find(({ what, lineage }) => what === 'commit' && lineage > 0);
  if (begun === undefined || !UNBROKEN.has(mode)) return [];
  return [`${partition}:${begun.offset} begins the new lineage ${begun.lineage}, and nothing was lost`];
}
