import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Beginning } from './beginnings.ts';
import { loseCommits, OTHER_ENGINE, recommit, trimEvents } from './harm.ts';
import { PARTITIONS, type Place } from './place.ts';
import { loseStates, restateEngine, spoilStates } from './states.ts';
import type { Trial } from './trial.ts';
import { expectRight, openTrial } from './trials.ts';

const PER_SECOND = 600;
/** Milliseconds in which most runs end and begin anew. */
const A_WHILE = 8_000;

/**
 * Trials of the command itself in which what it kept comes to harm while nobody is alive: a lineage must begin
 * in every partition, and a gateway that follows control decides as if nothing had happened.
 */
export function lineageTrials(place: (folder: string) => Place): void {
  it('saved state spoilt, then lost, and the beginning of the events: runs are renewed, no decision is wrong', async () => {
    const trial = await underLoad(place);
    const { log } = trial;
    for (const harm of [spoilStates, loseStates]) {
      await sleep(A_WHILE);
      await trial.savesAgain();
      const said = await befall(trial, async () => {
        await harm(log, `${trial.place.prefix}state`);
        await trimEvents(trial.place, log, await trial.judgedMiddle());
      });
      expectEach(said, { loaded: false, newLineage: expect.stringMatching(/^the fold began at offset/) });
      // All that is left is younger than a run may be silent.
      const left = await log.reader.ranges(`${trial.place.prefix}events`);
      for (const { partition, start } of left)
        expect(said.find((one) => one.partition === partition)?.from).toBe(start);
    }
    await sleep(A_WHILE);
    await expectRenewed(trial, 2);
  });

  it('commits lost, then saved state with them: runs are renewed, no decision is wrong', async () => {
    const trial = await underLoad(place);
    const why = { newLineage: 'verdicts stand that no commit covers' };
    const lose = () => loseCommits(trial.place, trial.group);
    await trial.savesAgain();
    expectEach(await befall(trial, lose), { ...why, loaded: true });
    await trial.advances();
    const loseBoth = () => Promise.all([lose(), loseStates(trial.log, `${trial.place.prefix}state`)]);
    expectEach(await befall(trial, loseBoth), { ...why, loaded: false, from: 0, to: 0 });
    await expectRenewed(trial, 2);
  });

  it('another engine was here before: runs are renewed, no decision is wrong', async () => {
    const trial = await underLoad(place);
    const { log, group } = trial;
    await trial.savesAgain();
    const said = await befall(trial, async () => {
      await restateEngine(log, `${trial.place.prefix}state`, OTHER_ENGINE);
      await recommit(log, trial.place, { group, engine: OTHER_ENGINE });
    });
    expectEach(said, {
      loaded: true,
      newLineage: expect.stringContaining(`commit is of engine ${OTHER_ENGINE}`),
    });
    await expectRenewed(trial, 1);
  });
}

async function underLoad(place: (folder: string) => Place): Promise<Trial> {
  const trial = await openTrial({ place, perSecond: PER_SECOND });
  trial.startDetector({ product: true });
  trial.startDetector({ product: true });
  trial.startLoad();
  await trial.advances();
  return trial;
}

/** All detectors die, harm is done, they come back; returns what they first said of each partition. */
async function befall(trial: Trial, harm: () => Promise<unknown>): Promise<readonly Beginning[]> {
  const before = new Set(
    (await trial.beginnings()).map(({ partition, lineage }) => `${partition} ${lineage}`),
  );
  await trial.crash();
  await harm();
  trial.restart();
  return trial.allBegin(before);
}

function expectEach(said: readonly Beginning[], like: object): void {
  for (const beginning of said) expect(beginning).toMatchObject(like);
}

/** In every partition a lineage began so many times at least; all that was said is right. */
async function expectRenewed(trial: Trial, times: number): Promise<void> {
  const testimony = await expectRight(trial);
  expect(testimony.lineages).toBeGreaterThanOrEqual(times * PARTITIONS);
  expect(testimony.renewed).toBeGreaterThan(0);
  expect(testimony.compared).toBeGreaterThan(20);
}
