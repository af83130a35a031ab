import { setTimeout as sleep } from 'node:timers/promises';
import { seededScheduler } from '@loopwarden/stream/memory';
import { expect, onTestFinished } from 'vitest';
import type { Detector } from './detector.ts';
import { Trial, type TrialOptions } from './trial.ts';
import type { Testimony } from './witness.ts';

/** A trial of the test at hand; after a failed one what its processes said stays. */
export async function openTrial(options: TrialOptions): Promise<Trial> {
  const trial = await Trial.open(options);
  onTestFinished(({ task }) => trial.close(task.result?.state === 'fail'));
  return trial;
}

/** Kills of a trial: what the trial does by itself, unless LOOPWARDEN_TEST_KILLS says how many. */
export function killsOf(usual: number): number {
  return numberOf('LOOPWARDEN_TEST_KILLS', usual);
}

/** Milliseconds that so many kills may take, on a busy machine. */
export function patienceFor(kills: number): number {
  return 120_000 + kills * 15_000;
}

function numberOf(name: string, usual: number): number {
  const value = Number(process.env[name] ?? usual);
  if (!Number.isSafeInteger(value) || value < 1) throw new Error(`${name} must be a whole number above 0.`);
  return value;
}

/** Kills a detector that has partitions, again and again in mid-work; `between` comes after each kill. */
export async function killWorking(
  trial: Trial,
  detectors: readonly Detector[],
  { kills, between = async () => undefined }: { kills: number; between?: (killed: number) => Promise<void> },
): Promise<void> {
  const { random } = seededScheduler(numberOf('LOOPWARDEN_TEST_SEED', 1));
  for (let killed = 0; killed < kills; ) {
    await trial.advances();
    await sleep(random() * 500);
    const owned = await Promise.all(detectors.map((detector) => detector.owned()));
    const working = detectors.filter((_, at) => (owned[at] ?? 0) > 0);
    const victim = working[Math.floor(random() * working.length)];
    if (victim === undefined) continue;
    await victim.kill();
    victim.again();
    killed += 1;
    await between(killed);
  }
}

/** Detectors join, leave, and sleep through the loss of their partitions, so many times, under load. */
export async function sleepThroughLosses(trial: Trial, rounds: number): Promise<void> {
  const [first, second] = [trial.startDetector(), trial.startDetector()];
  trial.startLoad();
  for (let round = 0; round < rounds; round += 1) {
    await trial.advances();
    await trial.putToSleep([first, second]);
    const heir = trial.startDetector();
    await trial.advances();
    for (const sleeper of [first, second]) sleeper.resume();
    await trial.advances();
    await heir.leave();
    await trial.advances();
  }
}

/** Nothing is wrong, though much was judged, and everything is of one unbroken fold. */
export async function expectUnharmed(trial: Trial): Promise<void> {
  expect(await expectRight(trial)).toMatchObject({ lineages: 0 });
}

/** Nothing is wrong, though much was judged. */
export async function expectRight(trial: Trial): Promise<Testimony> {
  const testimony = await trial.verdict();
  expect(testimony.wrongs).toEqual([]);
  expect(testimony.verdicts).toBeGreaterThan(1000);
  const { events, verdicts, repeated, renewed, lineages, commits, compared } = testimony;
  console.info(
    `${events} events, ${verdicts} verdicts, ${repeated} said again, ${renewed} renewed, ${lineages} new lineages, ${commits} commits seen, decisions of ${compared} runs compared`,
  );
  return testimony;
}
