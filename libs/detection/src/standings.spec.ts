import { describe, expect, it } from 'vitest';
import { digestOf, given } from '../../../test/given.ts';
import { decide } from './decide.ts';
import { endRun, forgetRun, handOut, hear, hearMark, openStandings } from './standings.ts';
import type { Verdict } from './verdict.ts';

const HERE = { partition: 0, lineage: 0 };
const CALL = { runId: 'run', tool: 'read', args: digestOf('a') };

/** Verdicts of a run that repeats one call: three warnings, then a block. */
function loop(): Verdict[] {
  const world = given();
  for (let turn = 0; turn < 5; turn += 1) world.turn('x');
  return [...world.verdicts];
}

function heardAll(verdicts: readonly Verdict[]): ReturnType<typeof openStandings> {
  const standings = openStandings();
  for (const verdict of verdicts) hear(standings, verdict, HERE);
  return standings;
}

describe('a gateway', () => {
  it('allows what nothing stands against', () => {
    expect(decide(openStandings(), CALL).action).toBe('allow');
  });

  it('decides by the newest verdict of the signature, and leaves others alone', () => {
    const standings = heardAll(loop());
    expect(decide(standings, CALL)).toMatchObject({ action: 'block', verdict: { count: 5 } });
    expect(decide(standings, { ...CALL, args: digestOf('b') }).action).toBe('allow');
  });

  it('hands a warning level out once, in whatever verdict it stands', () => {
    const [first, second] = loop();
    const standings = heardAll(first === undefined ? [] : [first]);
    const { verdict } = decide(standings, CALL);
    expect(verdict === null ? null : handOut(standings, verdict)).toMatchObject({ warning: 1, level: 1 });
    if (second !== undefined) hear(standings, second, HERE);
    expect(decide(standings, CALL).action).toBe('allow');
  });

  it('drops what it has heard, and an older epoch', () => {
    const [first, second] = loop();
    if (first === undefined || second === undefined) throw new Error('the loop gives two warnings');
    const standings = heardAll([first, second]);
    expect(hear(standings, first, HERE).outcome).toBe('old');
    expect(hear(standings, { ...second, epoch: second.epoch - 1, sequence: 99 }, HERE).outcome).toBe('old');
  });

  it('notices missed verdicts, but not those before it began to listen', () => {
    const [first, second, third] = loop();
    if (first === undefined || second === undefined || third === undefined) throw new Error('three verdicts');
    const standings = openStandings();
    expect(hear(standings, second, HERE).gap).toBe(false);
    expect(hear(standings, { ...third, sequence: 9 }, HERE).gap).toBe(true);
  });

  it('forgets everything of an older epoch with the first verdict of a newer one', () => {
    const verdicts = loop();
    const standings = heardAll(verdicts);
    const newer = {
      ...(verdicts[0] as Verdict),
      epoch: 9e12,
      match: { scope: 'tool', tool: 'x', args: null } as const,
    };
    hear(standings, newer, HERE);
    expect(decide(standings, CALL).action).toBe('allow');
  });

  it('empties its slots at its own end of the run, and knows nothing of a forgotten one', () => {
    const ended = heardAll(loop());
    endRun(ended, 'run');
    const forgotten = heardAll(loop());
    forgetRun(forgotten, 'run');
    expect([decide(ended, CALL).action, decide(forgotten, CALL).action]).toEqual(['allow', 'allow']);
  });

  it('reports shadows and does not enforce them', () => {
    const shadows = loop().map((verdict) => ({ ...verdict, shadow: true }));
    expect(decide(heardAll(shadows), CALL)).toMatchObject({ action: 'allow', shadow: { action: 'block' } });
  });

  it('drops all that an expiry covers', () => {
    const world = given();
    for (let turn = 0; turn < 5; turn += 1) world.turn('x');
    const standings = heardAll(world.verdicts);
    const expired = {
      ...(world.verdicts.at(-1) as Verdict),
      sequence: 5,
      action: 'release',
      reason: 'expired',
      ends: 4,
    } as const;
    hear(standings, { ...expired, match: { scope: 'run', tool: null, args: null } }, HERE);
    expect(decide(standings, CALL).action).toBe('allow');
  });
});

describe('lineages', () => {
  it('make a gateway deaf to older ones', () => {
    const [first] = loop();
    const standings = openStandings();
    hearMark(standings, { partition: 0, offset: -1, end: 0 }, 7);
    expect(first && hear(standings, first, HERE).outcome).toBe('zombie');
  });

  it('end what older ones left with their first mark of progress', () => {
    const standings = heardAll(loop());
    expect(hearMark(standings, { partition: 0, offset: -1, end: 9 }, 7).newLineage).toBe(true);
    expect(decide(standings, CALL).action).toBe('block');
    hearMark(standings, { partition: 0, offset: 8, end: 9 }, 7);
    expect(decide(standings, CALL).action).toBe('allow');
  });

  it('keep what the new lineage has said before its mark', () => {
    const standings = heardAll(loop());
    const renewed = { ...(loop().at(-1) as Verdict), epoch: 9e12, sequence: 1 };
    hear(standings, renewed, { partition: 0, lineage: 9e12 });
    hearMark(standings, { partition: 0, offset: 8, end: 9 }, 9e12);
    expect(decide(standings, CALL)).toMatchObject({ action: 'block', verdict: { epoch: 9e12 } });
  });
});
