import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { LoopingAgent } from './looping-agent.ts';
import { smallDisk } from './small-disk.ts';
import type { Trial } from './trial.ts';
import { expectRight, expectUnharmed, openTrial } from './trials.ts';

const PER_SECOND = 1800;
const PREFIX = 'trial.';
const FULL = 'No space is left';
const MEGABYTE = 2 ** 20;

it('a full disk, and room again: nobody notices but those who wait, and they say why', async ({ skip }) => {
  const dir = await mkdtemp(join(tmpdir(), 'loopwarden-disk-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  const disk = await smallDisk(dir, 8);
  if (disk === null) return skip('only root may mount a small disk');
  onTestFinished(() => disk.remove());
  const trial = await openTrial({
    place: () => ({ kind: 'embedded', dir, prefix: PREFIX, takeoverMs: null }),
    perSecond: PER_SECOND,
  });
  const agent = await LoopingAgent.start(dir, PREFIX);
  trial.startDetector({ product: true });
  trial.startDetector({ product: true });
  trial.startLoad();
  await trial.advances();
  await trial.loadMeets(FULL, 5);
  await disk.resize(14);
  await trial.advances();
  await trial.loadMeets(FULL, 10);
  await disk.resize(512);
  await trial.advances();
  await agent.obeys();
  const { facts } = await agent.leave();
  expect(facts.filter(({ kind }) => kind === 'dropped')).toEqual([]);
  expectToldOnce(facts.flatMap((fact) => (fact.kind === 'unreachable' ? [fact.detail] : [])));
  await expectCalm(trial);
  await expectUnharmed(trial);
});

it('a log that may grow no further: it forgets the oldest, and nothing that was not judged', async () => {
  const maxBytes = 8 * MEGABYTE;
  const trial = await openTrial({
    place: (folder) => ({
      kind: 'embedded',
      dir: join(folder, 'data'),
      prefix: PREFIX,
      takeoverMs: null,
      maxBytes,
    }),
    perSecond: PER_SECOND,
  });
  trial.startDetector();
  trial.startDetector();
  trial.startLoad();
  await trial.forgetsEvents();
  const written = await trial.written();
  await trial.forgetsEvents();
  expect(await trial.written()).toBeGreaterThan(written);
  expect((await stat(join(trial.folder, 'data', 'log.sqlite'))).size).toBeLessThanOrEqual(maxBytes);
  await expectCalm(trial);
  await expectRight(trial);
});

/** One line an incident; two times the disk was full. */
function expectToldOnce(details: readonly string[]): void {
  expect(details.length).toBeGreaterThan(0);
  expect(details.length).toBeLessThanOrEqual(4);
  for (const detail of details) expect(detail).toContain(FULL);
}

/** No detector has died or begun anew, and what it says of the trouble are lines of its log. */
async function expectCalm(trial: Trial): Promise<void> {
  for (const detector of trial.detectors) {
    expect(detector).toMatchObject({ alive: true, lives: 1 });
    for (const line of await detector.lines()) expect(line).toMatch(/^\{.*\}$/);
  }
}
