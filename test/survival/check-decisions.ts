import {
  type Decision,
  decide,
  hear,
  openStandings,
  type Standings,
  type Verdict,
} from '@loopwarden/detection';
import { partitionOf } from '@loopwarden/stream';
import { CALLS } from '../simulation/calls.ts';
import { listen, openEar } from '../simulation/ear.ts';
import { expect } from '../simulation/expected.ts';
import type { Ledger } from '../simulation/ledger.ts';
import type { Seen } from '../simulation/world.ts';
import { codec } from '../station.ts';

/**
 * A gateway that followed control decides every call as one that heard a detector which read all events from the
 * first one on and never stopped: the same action, detector, count and level, whatever the lineages between. Of a
 * run whose beginning no detector could read any more that holds once it has ended and begun anew.
 */
export function checkDecisions(
  world: Seen,
  runs: readonly string[],
): { wrongs: readonly string[]; compared: number } {
  const ear = openEar(world, 'start');
  listen(world, ear);
  const wanted = neverStopped(world);
  const comparable = runs.filter((runId) => isWholeAgain(world, runId));
  const wrongs = comparable.flatMap((runId) =>
    CALLS.flatMap((call) => {
      const [held, due] = [ear.standings, wanted].map((one) => wordsOf(decide(one, { runId, ...call })));
      return held === due ? [] : [`${runId} ${call.tool} is ${held}, without any harm ${due}`];
    }),
  );
  return { wrongs, compared: comparable.length };
}

function neverStopped({ ledger, partitions }: Seen): Standings {
  const standings = openStandings();
  for (let partition = 0; partition < partitions; partition += 1)
    for (const { verdict } of expect(ledger, partition, 0) ?? [])
      hear(standings, verdict, { partition, lineage: 0 });
  return standings;
}

/** All that the run's state is made of was read by every fold. */
function isWholeAgain({ ledger, partitions }: Seen, runId: string): boolean {
  const partition = partitionOf(runId, partitions);
  const from = readFrom(ledger, partition);
  if (from === 0) return true;
  const events = ledger.pages[partition]?.events.slice(from) ?? [];
  return events.some(({ value }) => {
    const event = codec.decodeEvent(value ?? new Uint8Array());
    return event.ok && event.value.type === 'run_end' && event.value.runId === runId;
  });
}

/** Where the fold began that read the least. */
function readFrom({ pages }: Ledger, partition: number): number {
  const origins = [...(pages[partition]?.origins.values() ?? [])];
  return Math.max(...origins.map(({ from, of }) => (of === null ? from : 0)));
}

function wordsOf({ action, verdict, shadow }: Decision): string {
  return `${action} ${bodyOf(verdict)} beside ${bodyOf(shadow)}`;
}

/** What a verdict says, whatever its number. */
function bodyOf(verdict: Verdict | null): string {
  if (verdict === null) return 'nothing';
  const { detector, count, threshold, level, match, pairedTool } = verdict;
  return JSON.stringify([detector, count, threshold, level, match, pairedTool]);
}
