import { verdictId } from '@loopwarden/detection';
import type { DefiantCall } from './accounting.ts';
import type { RunEnding } from './agent-run.ts';
import type { FleetLog } from './fleet-log.ts';
import { firstTimes } from './plain-fold.ts';
import { callsLate } from './verdict-on-runs.ts';

/** Why a call ran in spite of a verdict. */
const WHYS = {
  stood: 'the partition stood still: its detector was killed, or the group shared out anew',
  judging: 'the verdict was not yet published',
  moved: 'the run had just moved here, and what stands was not yet heard',
  underWay: 'the verdict was published, and not yet heard',
} as const;
type Why = keyof typeof WHYS;

/** A partition whose verdicts take longer than this is judged by nobody, milliseconds. */
const STANDSTILL_MS = 1_000;

/** What plain mode costs: how late loops are stopped, and why. */
interface Lateness {
  /** By way: how many calls of each run ran that the policy refuses, in order. */
  readonly callsLate: Readonly<Record<string, readonly number[]>>;
  /** Of those calls; `medianMs` and `maxMs` lie between the records of call and verdict. */
  readonly reasons: readonly Reason[];
  /** Refusing verdicts of partitions that did not stand still: from the record of their event to their own. */
  readonly publishedAfterMs: { readonly median: number; readonly max: number };
}

interface Reason {
  readonly why: string;
  readonly calls: number;
  readonly medianMs: number;
  readonly maxMs: number;
}

export function lateness(
  log: FleetLog,
  { defiant, endings }: { defiant: readonly DefiantCall[]; endings: readonly RunEnding[] },
): Lateness {
  const book = new TimeBook(log);
  const byWhy = Map.groupBy(
    defiant.map((call) => book.explain(call)),
    ({ why }) => why,
  );
  const reasons = (Object.keys(WHYS) as Why[]).flatMap((why) => {
    const apart = (byWhy.get(why) ?? []).map(({ apartMs }) => apartMs);
    if (apart.length === 0) return [];
    return { why: WHYS[why], calls: apart.length, medianMs: median(apart), maxMs: Math.max(...apart) };
  });
  const took = book.publishingTimes();
  return {
    callsLate: latenessByWay(endings),
    reasons,
    publishedAfterMs: { median: median(took), max: Math.max(0, ...took) },
  };
}

/** The report, a line each. */
export function latenessLines({ callsLate, reasons, publishedAfterMs }: Lateness): readonly string[] {
  const all = Object.values(callsLate).flat();
  const { median: middle, max } = publishedAfterMs;
  return [
    `plain mode: ${all.length} loops made ${median(all)} calls too many (median), ${Math.max(...all)} at most`,
    ...Object.entries(callsLate).map(([way, calls]) => `  ${way}: ${calls.join(', ')}`),
    ...reasons.map(
      ({ why, calls, medianMs, maxMs }) =>
        `  ${calls} calls: ${why} (${medianMs} ms apart, ${maxMs} at most)`,
    ),
    `  refusing verdicts of other partitions were published ${middle} ms after their event (median), ${max} at most`,
  ];
}

function latenessByWay(endings: readonly RunEnding[]): Record<string, number[]> {
  const byWay: Record<string, number[]> = {};
  for (const ending of endings) {
    const calls = callsLate(ending);
    if (calls !== null) byWay[ending.plan.way] = [...(byWay[ending.plan.way] ?? []), calls];
  }
  for (const calls of Object.values(byWay)) calls.sort((a, b) => a - b);
  return byWay;
}

/** When things of a fleet happened, by the broker's clock. */
class TimeBook {
  readonly #log: FleetLog;
  /** Of refusing verdicts, by id. */
  readonly #published: ReadonlyMap<string, Published>;

  constructor(log: FleetLog) {
    this.#log = log;
    const times = new Map(
      log.events.map((event) => [placeKey(event.partition, event.offset), event.timestamp]),
    );
    this.#published = new Map(
      [...firstTimes(log.verdicts)].flatMap(([id, { verdict, partition, trigger, timestamp }]) => {
        const triggeredAt = trigger === null ? undefined : times.get(placeKey(partition, trigger));
        const refuses = verdict.action === 'block' || verdict.action === 'abort';
        return triggeredAt === undefined || !refuses ? [] : [[id, { partition, triggeredAt, at: timestamp }]];
      }),
    );
  }

  explain({ logged, call, since: { verdict } }: DefiantCall): { why: Why; apartMs: number } {
    const { partition, timestamp } = logged;
    const published = this.#published.get(verdictId(verdict));
    if (published === undefined) throw new Error(`${verdictId(verdict)} was never published.`);
    const apartMs = Math.abs(published.at - timestamp);
    if (timestamp < published.at) return { why: this.#stoodStill(published) ? 'stood' : 'judging', apartMs };
    const attached = this.#log.events.findLast(
      ({ event, ...place }) =>
        place.partition === partition &&
        place.offset < logged.offset &&
        event.type === 'attach' &&
        event.runId === call.runId,
    );
    return { why: (attached?.timestamp ?? 0) > published.at ? 'moved' : 'underWay', apartMs };
  }

  publishingTimes(): readonly number[] {
    return [...this.#published.values()]
      .filter((published) => !this.#stoodStill(published))
      .map(({ at, triggeredAt }) => at - triggeredAt);
  }

  /** Whether a verdict's event fell into a time in which its partition stood still. */
  #stoodStill({ partition, triggeredAt }: Published): boolean {
    return [...this.#published.values()].some(
      (slow) =>
        slow.partition === partition &&
        slow.at - slow.triggeredAt >= STANDSTILL_MS &&
        slow.triggeredAt <= triggeredAt &&
        triggeredAt < slow.at,
    );
  }
}

interface Published {
  readonly partition: number;
  readonly triggeredAt: number;
  readonly at: number;
}

function placeKey(partition: number, offset: number): string {
  return `${partition}:${offset}`;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
