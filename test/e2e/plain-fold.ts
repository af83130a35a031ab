import { DEFAULT_POLICY, judge, openPartition, type Verdict, verdictId } from '@loopwarden/detection';
import type { Codec } from '@loopwarden/wire';
import type { FleetLog, LoggedVerdict } from './fleet-log.ts';

/** A verdict that the events lead to, and the event. */
export interface FoldedVerdict {
  readonly verdict: Verdict;
  readonly partition: number;
  /** Offset of the event that led to it. */
  readonly trigger: number;
}

/** What the events lead to when nobody is killed, moved or in a hurry: one fold, partition after partition. */
export function foldEvents({ events }: FleetLog): readonly FoldedVerdict[] {
  const partitions = new Map<number, ReturnType<typeof openPartition>>();
  return events.flatMap(({ partition, offset, timestamp, event }) => {
    const state = partitions.get(partition) ?? openPartition({ policy: DEFAULT_POLICY, revision: -1 });
    partitions.set(partition, state);
    const { verdicts } = judge(state, event, timestamp);
    return verdicts.map((verdict) => ({ verdict, partition, trigger: offset }));
  });
}

/** Verdicts as readers take them: whoever has seen an id drops it. */
export function firstTimes(verdicts: readonly LoggedVerdict[]): ReadonlyMap<string, LoggedVerdict> {
  const first = new Map<string, LoggedVerdict>();
  for (const logged of verdicts) {
    const id = verdictId(logged.verdict);
    if (!first.has(id)) first.set(id, logged);
  }
  return first;
}

/** Where the published verdicts are not those of the fold, byte for byte and in its order. */
export function differences(log: FleetLog, folded: readonly FoldedVerdict[], codec: Codec): string[] {
  const found: string[] = [];
  const first = firstTimes(log.verdicts);
  const expected = new Set(folded.map(({ verdict }) => verdictId(verdict)));
  for (const { verdict, trigger } of folded) {
    const id = verdictId(verdict);
    const published = first.get(id);
    if (published === undefined) found.push(`${id} (${verdict.action}) was never published`);
    else if (published.trigger !== trigger)
      found.push(`${id} names event ${published.trigger} and comes from ${trigger}`);
  }
  for (const { verdict, value, lineage } of log.verdicts) {
    const id = verdictId(verdict);
    if (!expected.has(id)) found.push(`${id} (${verdict.action}) was published, and nothing led to it`);
    if (lineage !== 0) found.push(`${id} has lineage ${lineage}: a state was lost`);
    const own = folded.find((one) => verdictId(one.verdict) === id);
    if (own !== undefined && Buffer.compare(codec.encodeVerdict(own.verdict), value) !== 0)
      found.push(`${id} was published as ${show(verdict)} and is ${show(own.verdict)}`);
  }
  return [...found, ...disorder([...first.values()])];
}

/** A reader that meets a later verdict of a run first would take the earlier one for old. */
function disorder(verdicts: readonly LoggedVerdict[]): string[] {
  const last = new Map<string, number>();
  return verdicts.flatMap(({ verdict }) => {
    const { runId, epoch, sequence } = verdict;
    const life = `${runId}/${epoch}`;
    const before = last.get(life) ?? 0;
    last.set(life, sequence);
    return sequence === before + 1 ? [] : [`${verdictId(verdict)} follows ${life}.${before}`];
  });
}

function show({ action, detector, count, match, ends }: Verdict): string {
  return JSON.stringify({ action, detector, count, match, ends });
}
