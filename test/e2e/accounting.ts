import { type Ref, type ToolCall, type ToolResult, type Verdict, verdictId } from '@loopwarden/detection';
import type { FleetLog, LoggedEvent } from './fleet-log.ts';
import { type FoldedVerdict, firstTimes } from './plain-fold.ts';

/** A call that ran although a verdict refuses it, and the verdict that did so first without a break. */
export interface DefiantCall {
  readonly logged: LoggedEvent;
  readonly call: ToolCall;
  readonly since: FoldedVerdict;
}

/** Told in a sentence. */
export function defiance({ call, since: { verdict } }: DefiantCall): string {
  const { runId, callId, tool, gatewayId } = call;
  const by = `${verdictId(verdict)}, a ${verdict.action} by ${verdict.detector}`;
  return `${callId} of ${tool} in ${runId} ran at ${gatewayId} in spite of ${by}`;
}

interface Standing {
  readonly verdict: Verdict;
  /** Where the unbroken refusal begins that this verdict goes on with. */
  readonly since: FoldedVerdict;
}

/** The verdicts of a fleet against what its gateways made of them. */
export interface Account {
  /** Calls that ran in spite of a verdict. Strict gateways leave none. */
  readonly defiant: readonly DefiantCall[];
  /** Vetoes that name no verdict, or one that does not refuse the call; warnings that are none. */
  readonly unfounded: readonly string[];
  /** Warnings that went to a model twice. */
  readonly repeated: readonly string[];
  /** Verdicts that still stand after the last event. */
  readonly standing: readonly string[];
}

/** Holds every event against the verdicts that the events before it led to. */
export function account(log: FleetLog, folded: readonly FoldedVerdict[]): Account {
  const books = new Books(log);
  const byEvent = Map.groupBy(folded, ({ partition, trigger }) => `${partition}:${trigger}`);
  for (const logged of log.events) {
    const { event, partition, offset } = logged;
    if (event.type === 'tool_call') books.ran(logged, event);
    if (event.type === 'tool_result' && event.outcome === 'vetoed') books.refused(event);
    for (const verdict of byEvent.get(`${partition}:${offset}`) ?? []) books.stand(verdict);
  }
  return books.close();
}

class Books {
  readonly #published: ReturnType<typeof firstTimes>;
  /** By run, then by number. */
  readonly #runs = new Map<string, Map<number, Standing>>();
  readonly #defiant: DefiantCall[] = [];
  readonly #unfounded: string[] = [];
  readonly #repeated: string[] = [];
  readonly #handedOut = new Set<string>();

  constructor(log: FleetLog) {
    this.#published = firstTimes(log.verdicts);
  }

  stand(folded: FoldedVerdict): void {
    const { verdict } = folded;
    const { runId, action, sequence, ends } = verdict;
    const standing = this.#standingOf(runId);
    const ended = ends === null ? undefined : standing.get(ends);
    if (ends !== null) standing.delete(ends);
    if (action === 'release') return;
    const goesOn = ended !== undefined && refuses(ended.verdict) && refuses(verdict);
    standing.set(sequence, { verdict, since: goesOn ? ended.since : folded });
  }

  ran(logged: LoggedEvent, call: ToolCall): void {
    const standing = [...this.#standingOf(call.runId).values()];
    const against = standing.find(({ verdict }) => refuses(verdict) && covers(verdict, call));
    if (against !== undefined) this.#defiant.push({ logged, call, since: against.since });
    for (const { epoch, warning, level } of call.delivered) {
      const name = `${call.runId}/${epoch}.${warning}, level ${level}`;
      if (this.#handedOut.has(name)) this.#repeated.push(`${name} by ${call.gatewayId}`);
      this.#handedOut.add(name);
      const known = this.#verdictNamed(call.runId, { epoch, sequence: warning });
      if (known?.action !== 'warn') this.#unfounded.push(`${name} went to a model and is no warning`);
    }
  }

  refused(veto: ToolResult): void {
    const { runId, verdict: named } = veto;
    const verdict = named && this.#verdictNamed(runId, named);
    if (verdict && refuses(verdict) && covers(verdict, veto)) return;
    const name = named === null ? 'no verdict' : verdictId({ runId, ...named });
    this.#unfounded.push(`a veto of ${veto.tool} in ${runId} by ${veto.gatewayId} names ${name}`);
  }

  close(): Account {
    const standing = [...this.#runs.values()]
      .flatMap((run) => [...run.values()])
      .map(({ verdict }) => verdictId(verdict));
    const [defiant, unfounded, repeated] = [this.#defiant, this.#unfounded, this.#repeated];
    return { defiant, unfounded, repeated, standing };
  }

  #standingOf(runId: string): Map<number, Standing> {
    const known = this.#runs.get(runId) ?? new Map<number, Standing>();
    this.#runs.set(runId, known);
    return known;
  }

  #verdictNamed(runId: string, ref: Ref): Verdict | null {
    return this.#published.get(verdictId({ runId, ...ref }))?.verdict ?? null;
  }
}

function refuses({ action, shadow }: Verdict): boolean {
  return !shadow && (action === 'block' || action === 'abort');
}

function covers({ match }: Verdict, { tool, args }: Pick<ToolResult, 'tool' | 'args'>): boolean {
  if (match.scope === 'run') return true;
  return match.tool === tool && (match.scope === 'tool' || match.args === args);
}

/** Events that are missing or came twice, by the numbers that their gateways gave them. */
export function misnumbered({ events }: FleetLog): string[] {
  const last = new Map<string, number>();
  return events.flatMap(({ event }) => {
    if (event.type === 'policy') return [];
    const { runId, source, sequence } = event;
    const line = `${runId} from ${source}`;
    const before = last.get(line) ?? 0;
    last.set(line, sequence);
    return sequence === before + 1 ? [] : [`${line}: ${sequence} follows ${before}`];
  });
}
