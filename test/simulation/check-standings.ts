import {
  type Decision,
  decide,
  hear,
  openStandings,
  type Standings,
  type Verdict,
  verdictId,
} from '@loopwarden/detection';
import { codec, TOPICS } from '../station.ts';
import { CALLS, type Call, RUNS } from './calls.ts';
import { listen, openEar } from './ear.ts';
import { expect } from './expected.ts';
import { type Fleet, veto } from './fleet.ts';
import type { Seen } from './world.ts';

/**
 * What a gateway would know that hears nothing but the undisturbed run, of the last lineage.
 * @param from the first event whose verdicts it hears, by run; null: all
 */
function undisturbed({ ledger }: Seen, from: ReadonlyMap<string, number> | null): Standings {
  const standings = openStandings();
  ledger.pages.forEach((pages, partition) => {
    const lineage = Math.max(...pages.claims.map((claim) => claim.lineage), 0);
    for (const { verdict, offset } of expect(ledger, partition, lineage) ?? [])
      if (offset >= (from?.get(verdict.runId) ?? 0)) hear(standings, verdict, { partition, lineage });
  });
  return standings;
}

/** A gateway that hears everything from the beginning knows at the end what the undisturbed one knows. */
export function checkReader(world: Seen, runs: readonly string[] = RUNS): readonly string[] {
  const ear = openEar(world, 'start');
  listen(world, ear);
  const wanted = undisturbed(world, null);
  return differences(ear.standings, wanted, runs).map(({ told }) => `a reader of everything: ${told}`);
}

/**
 * Late gateways know all that stands. What they hold by mistake, from verdicts that were said again, lasts for
 * one refused call: `heal` writes that call's veto.
 */
export function checkLate(fleet: Fleet, heal: boolean): readonly string[] {
  const { world, late } = fleet;
  return late.flatMap(({ name, ear, runs }) => {
    const wrong = differences(ear.standings, undisturbed(world, runs), [...runs.keys()]);
    const refusals = wrong.filter(({ held, due }) => refuses(held) && !refuses(due));
    if (heal)
      for (const { runId, call, held } of refusals) refuse(fleet, runId, { call, held, source: name });
    const healing = (one: Difference): boolean => heal && refusals.includes(one);
    return wrong.filter((one) => !healing(one) && !isHarmless(one)).map(({ told }) => `${name}: ${told}`);
  });
}

/** All that is due is held; what is held besides refuses nothing: a warning, once, or a shadow. */
function isHarmless({ held, due }: Difference): boolean {
  const same = (one: Verdict | null, other: Verdict | null): boolean =>
    one !== null && other !== null && verdictId(one) === verdictId(other);
  const enforced = due.verdict === null ? !refuses(held) : same(held.verdict, due.verdict);
  return enforced && (due.shadow === null || same(held.shadow, due.shadow));
}

function refuses({ action }: Decision): boolean {
  return action === 'block' || action === 'abort';
}

function refuse(
  fleet: Fleet,
  runId: string,
  { call, held, source }: { call: Call; held: Decision; source: string },
): void {
  if (held.verdict !== null) veto(fleet, runId, { call, verdict: held.verdict, source });
}

interface Difference {
  readonly runId: string;
  readonly call: Call;
  readonly held: Decision;
  readonly due: Decision;
  readonly told: string;
}

/** Every call that two gateways decide differently, or by another verdict; bodies were compared before. */
function differences(one: Standings, other: Standings, runs: readonly string[]): Difference[] {
  return runs.flatMap((runId) =>
    CALLS.flatMap((call) => {
      const [held, due] = [decide(one, { runId, ...call }), decide(other, { runId, ...call })];
      if (wordsOf(held) === wordsOf(due)) return [];
      const told = `${runId} ${call.tool} is ${wordsOf(held)}, should be ${wordsOf(due)}`;
      return [{ runId, call, held, due, told }];
    }),
  );
}

function wordsOf({ action, verdict, shadow }: Decision): string {
  const by = verdict === null ? '' : ` by ${verdictId(verdict)}`;
  const beside = shadow === null ? '' : ` beside shadow ${verdictId(shadow)}`;
  return `${action}${by}${beside}`;
}

/** Every record that is no event became a dead letter, and nothing else did. */
export function checkDeadLetters({ broker, ledger }: Seen): readonly string[] {
  const dead = new Set<string>();
  for (const { value } of broker.records(TOPICS.deadLetters, 0)) {
    const letter = codec.decodeDeadLetter(value ?? new Uint8Array());
    if (letter.ok) dead.add(`${letter.value.partition}:${letter.value.offset}`);
  }
  const wanted = ledger.pages.flatMap(({ events }) =>
    events
      .filter(({ value }) => !codec.decodeEvent(value ?? new Uint8Array()).ok)
      .map(({ partition, offset }) => `${partition}:${offset}`),
  );
  return wanted.filter((place) => !dead.has(place)).map((place) => `events ${place} is no dead letter`);
}
