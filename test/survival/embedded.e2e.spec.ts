import { join } from 'node:path';
import { it } from 'vitest';
import type { Place } from './place.ts';
import {
  expectUnharmed,
  killsOf,
  killWorking,
  openTrial,
  patienceFor,
  sleepThroughLosses,
} from './trials.ts';

const KILLS = killsOf(24);
const PRODUCT_KILLS = killsOf(2);
const PER_SECOND = 600;
/** Milliseconds until a detector that is dead is missed. */
const SOON = 400;

const PREFIX = 'trial.';

/** A log in the trial's own folder. */
const nearby =
  (takeoverMs: number | null) =>
  (folder: string): Place => ({ kind: 'embedded', dir: join(folder, 'data'), prefix: PREFIX, takeoverMs });

it(`${KILLS} times kill -9 of the detector that works, and a policy between: nobody notices`, {
  timeout: patienceFor(KILLS),
}, async () => {
  const trial = await openTrial({ place: nearby(SOON), perSecond: PER_SECOND });
  const detectors = [trial.startDetector(), trial.startDetector()];
  trial.startLoad();
  const half = Math.ceil(KILLS / 2);
  const between = async (killed: number) => (killed === half ? trial.applyPolicy(1) : undefined);
  await killWorking(trial, detectors, { kills: KILLS, between });
  await expectUnharmed(trial);
});

it('detectors that join, leave, and sleep through the loss of their partitions: nobody notices', async () => {
  const trial = await openTrial({ place: nearby(SOON), perSecond: PER_SECOND });
  await sleepThroughLosses(trial, 4);
  await expectUnharmed(trial);
});

it('the command itself, killed and told to leave: another takes over, and nobody notices', {
  timeout: patienceFor(PRODUCT_KILLS),
}, async () => {
  const trial = await openTrial({ place: nearby(null), perSecond: PER_SECOND });
  const detectors = [trial.startDetector({ product: true }), trial.startDetector({ product: true })];
  trial.startLoad();
  await killWorking(trial, detectors, { kills: PRODUCT_KILLS });
  for (const detector of detectors) {
    await trial.advances();
    await detector.leave();
    detector.again();
  }
  await expectUnharmed(trial);
});
