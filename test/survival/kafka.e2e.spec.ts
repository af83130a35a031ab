import { describe, it } from 'vitest';
import { kafkaUnderTest, uniqueName } from '../setup/kafka.ts';
import type { Place } from './place.ts';
import {
  expectUnharmed,
  killsOf,
  killWorking,
  openTrial,
  patienceFor,
  sleepThroughLosses,
} from './trials.ts';

const kafka = await kafkaUnderTest();
const KILLS = killsOf(16);
const PRODUCT_KILLS = killsOf(2);
const PER_SECOND = 600;
/** Milliseconds until a detector that is dead is missed. */
const SOON = 800;

describe.skipIf(kafka === null)('detectors on Kafka that come to harm', () => {
  const place = (): Place => ({
    kind: 'kafka',
    brokers: kafka?.brokers ?? [],
    prefix: `${uniqueName('trial')}.`,
    takeoverMs: SOON,
  });

  it(`${KILLS} times kill -9 of one that works, and a policy between: nobody notices`, {
    timeout: patienceFor(KILLS),
  }, async () => {
    const trial = await openTrial({ place, perSecond: PER_SECOND });
    const detectors = [trial.startDetector(), trial.startDetector(), trial.startDetector()];
    trial.startLoad();
    const half = Math.ceil(KILLS / 2);
    const between = async (killed: number) => (killed === half ? trial.applyPolicy(1) : undefined);
    await killWorking(trial, detectors, { kills: KILLS, between });
    await expectUnharmed(trial);
  });

  it('the command itself, killed, told to leave, and joined by a third: nobody notices', {
    timeout: patienceFor(PRODUCT_KILLS),
  }, async () => {
    const trial = await openTrial({ place: () => ({ ...place(), takeoverMs: null }), perSecond: PER_SECOND });
    const detectors = [trial.startDetector({ product: true }), trial.startDetector({ product: true })];
    trial.startLoad();
    await killWorking(trial, detectors, { kills: PRODUCT_KILLS });
    const third = trial.startDetector({ product: true });
    await trial.advances();
    await third.leave();
    await trial.advances();
    await expectUnharmed(trial);
  });

  it('some join, leave, and sleep through the loss of their partitions: nobody notices', async () => {
    const trial = await openTrial({ place, perSecond: PER_SECOND });
    await sleepThroughLosses(trial, 2);
    await expectUnharmed(trial);
  });
});
