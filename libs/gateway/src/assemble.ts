import { DEFAULT_POLICY, forgetRun, openStandings } from '@loopwarden/detection';
import type { Desk } from './desk.ts';
import { hashWith } from './digests.ts';
import type { GatewayFact, Observer } from './fact.ts';
import type { Settled } from './gateway-options.ts';
import { Progress } from './progress.ts';
import { Roster } from './roster.ts';
import { Scribe } from './scribe.ts';
import { count, openTally, type Tally } from './tally.ts';

/** Names of the topics with their prefix. */
interface TopicNames {
  readonly events: string;
  readonly control: string;
  readonly policies: string;
}

export function topicNames(prefix: string): TopicNames {
  return { events: `${prefix}events`, control: `${prefix}control`, policies: `${prefix}policies` };
}

/** A gateway before it begins to listen. */
export interface Parts {
  readonly desk: Desk;
  readonly tally: Tally;
  readonly trouble: Trouble;
  readonly closing: AbortController;
}

/** Puts the parts of one gateway together. Does nothing yet. */
export function assemble(options: Settled, log: { topics: TopicNames; partitions: number }): Parts {
  const { clock, gatewayId, startId, maxRuns, buffer } = options;
  const tally = openTally();
  const tell = teller(options.observer, tally);
  const trouble = new Trouble(tell);
  const standings = openStandings();
  const progress = new Progress(log.partitions, clock);
  const scribe = new Scribe({
    codec: options.log.codec,
    writer: options.log.log.writer(),
    bound: buffer,
    clock,
    gatewayId,
    topic: log.topics.events,
    marked: options.strict !== null,
    poke: (partition) => progress.poke(partition),
    tell,
    trouble: (detail) => trouble.at('events', detail),
  });
  const roster = new Roster({
    source: `${gatewayId}-${startId}`,
    partitions: log.partitions,
    maxRuns,
    forgotten: ({ runId }) => forgetRun(standings, runId),
  });
  const inForce = { policy: DEFAULT_POLICY, revision: -1 };
  const closing = new AbortController();
  const desk = {
    options,
    hash: hashWith(options.hmacKey),
    standings,
    roster,
    progress,
    scribe,
    inForce,
    closing: closing.signal,
    tell,
  };
  return { desk, tally, trouble, closing };
}

/** Where the log does not answer, told as one: unreachable at the first place, reachable at none. */
class Trouble {
  readonly #places = new Set<string>();
  readonly #tell: (fact: GatewayFact) => void;

  constructor(tell: (fact: GatewayFact) => void) {
    this.#tell = tell;
  }

  get isNowhere(): boolean {
    return this.#places.size === 0;
  }

  /** @param detail a sentence; null: it answers again */
  at(place: string, detail: string | null): void {
    if (detail === null) {
      if (this.#places.delete(place) && this.isNowhere) this.#tell({ kind: 'reachable' });
      return;
    }
    if (this.isNowhere) this.#tell({ kind: 'unreachable', detail });
    this.#places.add(place);
  }
}

/** Counts every fact and hands it to whoever watches; what a watcher throws stops nothing. */
function teller(observer: Observer, tally: Tally): (fact: GatewayFact) => void {
  return (fact) => {
    count(tally, fact);
    try {
      const done: unknown = observer(fact);
      if (done instanceof Promise) done.catch(() => {}); // unheard, it would end the process
    } catch {
      // The fact stands in the tally; an agent does not stop for a watcher.
    }
  };
}
