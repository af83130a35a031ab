import {
  beginSave,
  compilePolicy,
  endSave,
  judge,
  openPartition,
  type Partition,
  restorePartition,
  type SavedPartition,
  savePartition,
  saveRuns,
  type Verdict,
} from '@loopwarden/detection';
import fc from 'fast-check';
import { describe, it } from 'vitest';
import { expectSame, PATIENCE_MS } from './compare.ts';
import type { PolicyDocument } from './oracle/settings.ts';
import { play } from './play.ts';
import { runs } from './scenario.ts';
import { showEvent, showLog } from './show.ts';
import type { Played } from './stage.ts';
import { scenario } from './themes.ts';

const MAX_RUNS = 100;
/** Below the shortest idle horizon of any scenario: whoever was heard since is not silent. */
const FRESH_MS = 25 * 60_000;
/** A run remembers so many sources, so those of the last events (dropped copies apart) are remembered. */
const SOURCES = 8;

const open = (policy: PolicyDocument): Partition =>
  openPartition({ policy: compilePolicy(policy), revision: 0, maxRuns: MAX_RUNS });

const judged = (partition: Partition, log: readonly Pick<Played, 'event' | 'at'>[]): Verdict[] =>
  log.flatMap(({ event, at }) => judge(partition, event, at).verdicts);

const said = (log: readonly Played[]): Verdict[] => log.flatMap(({ verdicts }) => verdicts);

/** Through bytes and back, under the policy in force. */
function restart(partition: Partition): Partition {
  const saved: SavedPartition = structuredClone(savePartition(partition));
  return restorePartition(saved, { policy: partition.policy, maxRuns: MAX_RUNS });
}

/** Saved runs, which may come in any order, as something to compare. */
const readable = (saved: readonly Uint8Array[]): string[] =>
  saved.map((bytes) => Buffer.from(bytes).toString('latin1')).toSorted();

const cuts = fc.array(fc.nat(200), { maxLength: 5 });

describe('one log, one stream of verdicts', () => {
  it(
    'a restart from saved state at any point changes nothing',
    () => {
      fc.assert(
        fc.property(scenario, cuts, (made, places) => {
          const log = play(made);
          let partition = open(made.policy);
          const verdicts = log.flatMap((record, index) => {
            if (places.includes(index)) partition = restart(partition);
            return judged(partition, [record]);
          });
          expectSame(verdicts, said(log), () => `restarts before ${places.join(', ')} of\n${showLog(log)}`);
        }),
        runs(200),
      );
    },
    PATIENCE_MS,
  );

  it(
    'a partition is saved while it is judged, as it was when the save began',
    () => {
      fc.assert(
        fc.property(scenario, fc.nat(30), fc.constantFrom(0, 0, 1, 3), (made, place, pace) => {
          const log = play(made);
          const partition = open(made.policy);
          judged(partition, log.slice(0, place));
          const { policy } = partition;
          const before = readable(savePartition(partition).runs);
          const head = beginSave(partition);
          const taken: Uint8Array[] = [];
          const later = log.slice(place);
          for (const record of later) {
            taken.push(...saveRuns(partition, pace));
            expectSame(judged(partition, [record]), record.verdicts, () => showLog(log));
          }
          taken.push(...saveRuns(partition, Number.POSITIVE_INFINITY));
          endSave(partition);
          const story = (): string => `saved after ${place} events of\n${showLog(log)}`;
          expectSame(readable(taken), before, story);
          const restored = restorePartition({ ...head, runs: taken }, { policy, maxRuns: MAX_RUNS });
          expectSame(judged(restored, later), said(later), story);
        }),
        runs(100),
      );
    },
    PATIENCE_MS,
  );

  it(
    'events that are delivered again lead to nothing',
    () => {
      const again = fc.array(fc.record({ after: fc.nat(40), back: fc.nat(SOURCES - 1) }), { maxLength: 8 });
      fc.assert(
        fc.property(scenario, again, (made, copies) => {
          const log = play(made);
          const partition = open(made.policy);
          for (const [index, record] of log.entries()) {
            const story = (): string => `copies of an event after ${showEvent(record)} in\n${showLog(log)}`;
            expectSame(judged(partition, [record]), record.verdicts, story);
            for (const { back } of copies.filter(({ after }) => after === index)) {
              const old = log[index - back];
              const fresh = log
                .slice(index - back, index + 1)
                .every(({ at }) => Math.abs(record.at - at) < FRESH_MS);
              const first =
                old !== undefined && log.findIndex(({ event }) => event === old.event) === index - back;
              if (first && fresh) {
                expectSame(judged(partition, [{ event: old.event, at: record.at }]), [], story);
              }
            }
          }
        }),
        runs(200),
      );
    },
    PATIENCE_MS,
  );

  it(
    'a run is judged as if it were alone in its partition',
    () => {
      fc.assert(
        fc.property(scenario, fc.constantFrom('r1', 'r2', 'r3'), (made, alone) => {
          const log = play(made);
          const own = log.filter(({ event }) => event.type === 'policy' || event.runId === alone);
          const among = said(log).filter(({ runId }) => runId === alone);
          const verdicts = judged(open(made.policy), own).filter(({ runId }) => runId === alone);
          expectSame(verdicts, among, () => `${alone} alone, of\n${showLog(log)}`);
        }),
        runs(200),
      );
    },
    PATIENCE_MS,
  );
});
