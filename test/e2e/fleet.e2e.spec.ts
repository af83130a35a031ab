import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GatewayStats } from '@loopwarden/gateway';
import type { Codec } from '@loopwarden/wire';
import { beforeAll, describe, expect, it } from 'vitest';
import { describeMachine } from '../bench/machine.ts';
import { kafkaUnderTest } from '../setup/kafka.ts';
import type { Addresses } from '../setup/services.ts';
import { type Account, account, defiance, misnumbered } from './accounting.ts';
import { Conductor, type Played } from './conductor.ts';
import { type FleetLog, readFleetLog } from './fleet-log.ts';
import { lateness, latenessLines } from './lateness.ts';
import { differences, type FoldedVerdict, foldEvents } from './plain-fold.ts';
import { fleetPlans } from './plans.ts';
import { Stage } from './stage.ts';
import { type Told, toldByCommand } from './told.ts';
import { deviations, injustices } from './verdict-on-runs.ts';
import { LOOPS } from './ways.ts';

const kafka = await kafkaUnderTest();
const LIMIT_MS = 180_000;
const REPORT = join(import.meta.dirname, '../../.cache/fleet.json');

/** A fleet that was played, and what its log holds. */
interface Scene {
  readonly played: Played;
  readonly log: FleetLog;
  readonly folded: readonly FoldedVerdict[];
  readonly account: Account;
  readonly codec: Codec;
  /** What `loopwarden gateways` says, summed up. */
  readonly told: Told;
}

async function play(addresses: Addresses, mode: ConstructorParameters<typeof Conductor>[1]): Promise<Scene> {
  const stage = await Stage.prepare(addresses);
  const conductor = new Conductor(stage, mode, fleetPlans());
  let whole = false;
  try {
    const [victim] = await stage.startDetectors();
    const played = await conductor.play(victim);
    await stage.judged();
    const log = await readFleetLog(stage);
    const folded = foldEvents(log);
    const { codec, log: connection } = await stage.connect();
    await connection.close();
    const told = await toldByCommand(stage);
    whole = true;
    return { played, log, folded, account: account(log, folded), codec, told };
  } finally {
    conductor.close();
    const folder = await stage.close(!whole);
    if (folder !== null) console.warn(`Logs of the detectors: ${folder}`);
  }
}

describe.skipIf(kafka === null).each([
  { mode: 'strict', strict: { deadlineMs: 60_000, onDeadline: 'closed' }, thinkMs: 0 },
  { mode: 'plain', strict: null, thinkMs: 400 },
] as const)(
  'a $mode fleet whose detector is killed, gateway restarted and runs moved',
  ({ mode, strict, thinkMs }) => {
    let scene: Scene;
    beforeAll(async () => {
      scene = await play(kafka as Addresses, { strict, thinkMs });
      const { played, log } = scene;
      const { moves, interrupted, orphaned, tookMs } = played;
      console.log(
        `${mode}: ${log.events.length} events, ${log.verdicts.length} control verdicts, ${moves} moves, ${interrupted} runs interrupted, ${orphaned} partitions orphaned, ${Math.round(tookMs / 1000)} s`,
      );
    }, LIMIT_MS);

    it('went through what it was to go through', () => {
      const { endings, moves, interrupted, orphaned, stats } = scene.played;
      expect(endings).toHaveLength(200);
      expect(endings.filter(({ plan }) => plan.way in LOOPS)).toHaveLength(20);
      expect(Math.min(moves, interrupted, orphaned)).toBeGreaterThan(0);
      expect(stats).toHaveLength(4);
    });

    it('lost no event, and none was refused by a detector', () => {
      expect(misnumbered(scene.log)).toEqual([]);
      expect(scene.log.deadLetters).toBe(0);
      for (const { dropped } of scene.played.stats)
        expect(dropped).toEqual({ buffer: 0, refused: 0, too_large: 0, closed: 0 });
    });

    it('heard exactly the verdicts of one plain fold over its events', () => {
      expect(differences(scene.log, scene.folded, scene.codec)).toEqual([]);
    });

    it('is told of by `loopwarden gateways` as by its gateways themselves', () => {
      const { told, played, account } = scene;
      const sum = (of: (stats: GatewayStats) => number): number =>
        played.stats.reduce((all, one) => all + of(one), 0);
      expect(told).toEqual({
        gateways: 3,
        warnings: sum(({ warnings }) => warnings),
        vetoes: sum(({ vetoes }) => vetoes),
        aborts: played.endings.filter(({ end }) => end === 'aborted').length,
        late: account.defiant.length,
        refusals: 0,
        disobeyed: 0,
        lost: 0,
      });
    });

    it('enforced only verdicts that exist, and none stands for ever', () => {
      expect(scene.account.unfounded).toEqual([]);
      expect(scene.account.standing).toEqual([]);
    });

    if (mode === 'strict') {
      it('stopped every loop at exactly the call that the policy says, and touched no honest run', () => {
        expect(deviations(scene.played.endings)).toEqual([]);
      });

      it('let no call run in spite of a verdict, warned once, and was never without a judgement', () => {
        expect(scene.account.defiant.map(defiance)).toEqual([]);
        expect(scene.account.repeated).toEqual([]);
        for (const { late, undecided } of scene.played.stats)
          expect({ late, undecided }).toEqual({ late: 0, undecided: 0 });
      });
    } else {
      it('stopped every loop, none too early, and touched no honest run', () => {
        expect(injustices(scene.played.endings)).toEqual([]);
      });

      it('reports how many calls late, and why', async () => {
        const { played, log, account: books } = scene;
        const report = lateness(log, { defiant: books.defiant, endings: played.endings });
        console.log(latenessLines(report).join('\n'));
        await mkdir(join(REPORT, '..'), { recursive: true });
        await writeFile(REPORT, JSON.stringify({ machine: describeMachine(), thinkMs, ...report }, null, 2));
        const late = Object.values(report.callsLate).flat();
        expect(late).toHaveLength(20);
        // What ran late is what ran in spite of a verdict: there is no other way to be late.
        expect(report.reasons.reduce((sum, { calls }) => sum + calls, 0)).toBe(
          late.reduce((sum, calls) => sum + calls, 0),
        );
      });
    }
  },
);
