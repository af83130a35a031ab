import {
  decide,
  handOut,
  hear,
  type Judgement,
  judge,
  matchKey,
  openPartition,
  openStandings,
  type Partition,
  type Policy,
  type PolicyApplied,
  type RunEvent,
  type ToolCall,
  type Verdict,
} from '@loopwarden/detection';
import { printable } from '../terminal/printable.ts';
import { Incidents, type Rise } from './incidents.ts';
import { RecentCalls } from './recent-calls.ts';
import type { RunReport, VerdictCounts, VerdictReport } from './report.ts';
import { SavedCalls } from './saved-calls.ts';

/** Characters of a call's arguments that are kept as evidence. */
const ARGS_SHOWN = 120;

/** One event as it was recorded. */
interface Recorded {
  /** Epoch milliseconds. */
  readonly at: number;
  /** The event names no time: `at` only keeps the order. */
  readonly untimed: boolean;
  /** As they stand in the recording; undefined: none. */
  readonly args: unknown;
}

interface Told {
  readonly rise: Rise;
  readonly report: VerdictReport;
}

interface Listener {
  readonly verdict: (report: VerdictReport) => void;
}

/** One recorded run before the detector, with a gateway that decides everything and refuses nothing. */
export class RunReplay {
  readonly #listener: Listener;
  readonly #partition: Partition;
  readonly #standings = openStandings();
  readonly #incidents = new Incidents();
  readonly #recent: RecentCalls;
  readonly #saved = new SavedCalls();
  readonly #tools = new Map<string, number>();
  readonly #verdicts: VerdictCounts = { warn: 0, block: 0, abort: 0 };
  readonly #highest = new Map<string, number>();
  readonly #first: { readonly event: RunEvent; readonly at: number };
  #held: Told[] = [];
  #agentId: string | null = null;
  #sessionId: string | null = null;
  #firstVerdictAtCall: number | null = null;
  #endedAt: number;
  #untimed = false;

  constructor(
    first: { readonly event: RunEvent; readonly at: number },
    { policy, revision }: { readonly policy: Policy; readonly revision: number },
    listener: Listener,
  ) {
    const { historySize, windowSize } = policy.settingsFor(first.event.agentId);
    this.#first = first;
    this.#endedAt = first.at;
    this.#listener = listener;
    this.#partition = openPartition({ policy, revision });
    this.#recent = new RecentCalls(Math.max(historySize, windowSize));
  }

  take(event: RunEvent, recorded: Recorded): Judgement {
    const { at, untimed } = recorded;
    this.#untimed ||= untimed;
    this.#endedAt = Math.max(this.#endedAt, at);
    this.#agentId = event.agentId ?? this.#agentId;
    this.#sessionId = event.sessionId ?? this.#sessionId;
    const judged = this.#isRedelivery(event) ? event : this.#record(event, recorded);
    const judgement = judge(this.#partition, judged, at);
    this.#publish(judgement.verdicts, event.type === 'tool_call');
    return judgement;
  }

  apply(event: PolicyApplied, at: number): void {
    this.#publish(judge(this.#partition, event, at).verdicts, false);
  }

  /** What is told of the run when nothing more is expected of it. */
  close(): RunReport {
    this.#publish([], false);
    return {
      runId: this.#first.event.runId,
      agentId: this.#agentId,
      sessionId: this.#sessionId,
      calls: this.#recent.total,
      tools: this.#tools,
      verdicts: this.#verdicts,
      firstVerdictAtCall: this.#firstVerdictAtCall,
      saved: this.#saved.total(this.#untimed ? null : this.#endedAt),
      startedAt: this.#first.at,
      endedAt: this.#endedAt,
    };
  }

  /** Keeps what evidence and savings need. A call gets the warning that was due for it, once per level. */
  #record(event: RunEvent, recorded: Recorded): RunEvent {
    if (event.type === 'tool_result') {
      this.#recent.returned(event);
      this.#saved.returned(event, timeOf(recorded));
    }
    return event.type === 'tool_call' ? this.#call(event, recorded) : event;
  }

  #call(call: ToolCall, recorded: Recorded): ToolCall {
    this.#recent.made(call, argsText(recorded.args));
    this.#tools.set(call.tool, (this.#tools.get(call.tool) ?? 0) + 1);
    const decision = decide(this.#standings, call);
    this.#saved.called(call, decision, timeOf(recorded));
    const due = decision.action === 'warn' ? decision.verdict : null;
    if (due === null || call.delivered.length > 0) return call;
    return { ...call, delivered: [handOut(this.#standings, due)] };
  }

  /**
   * A warning that comes with a call is held until the run's next event: if the call's result makes it a
   * block, nobody would have been warned.
   */
  #publish(verdicts: readonly Verdict[], underWay: boolean): void {
    for (const verdict of verdicts) hear(this.#standings, verdict, { partition: 0, lineage: 0 });
    const rises = this.#incidents.take(verdicts, this.#recent.newest?.key ?? null);
    for (const held of this.#held) if (!rises.some(({ loop }) => loop === held.rise.loop)) this.#tell(held);
    this.#held = [];
    for (const rise of rises) {
      const told = { rise, report: this.#explain(rise.verdict) };
      if (underWay && rise.action === 'warn') this.#held.push(told);
      else this.#tell(told);
    }
    // A call under way hides what its result will say again: only afterwards a loop counts as left.
    if (!underWay) this.#incidents.settle();
  }

  #tell({ rise, report }: Told): void {
    this.#verdicts[rise.action] += 1;
    this.#firstVerdictAtCall ??= report.atCall;
    this.#listener.verdict(report);
  }

  #explain(verdict: Verdict): VerdictReport {
    const { calls, sameResult } = this.#recent.evidence(verdict);
    const own = verdict.match.scope === 'signature' ? matchKey(verdict.match) : calls.at(-1)?.key;
    const other = verdict.detector === 'ping_pong' ? calls.findLast(({ key }) => key !== own) : undefined;
    return {
      verdict,
      atCall: this.#recent.total,
      args: calls.findLast(({ key }) => key === own)?.args ?? null,
      otherArgs: other?.args ?? null,
      calls: calls.map(({ number }) => number),
      sameResult,
    };
  }

  #isRedelivery({ source, sequence }: RunEvent): boolean {
    const highest = this.#highest.get(source) ?? 0;
    this.#highest.set(source, Math.max(highest, sequence));
    return sequence <= highest;
  }
}

/** Null: not recorded. */
function timeOf({ at, untimed }: Recorded): number | null {
  return untimed ? null : at;
}

/** Arguments in short; without a text where they are nested deeper than can be written. */
function argsText(args: unknown): string {
  try {
    return args === undefined ? '' : printable(JSON.stringify(args) ?? '', ARGS_SHOWN);
  } catch {
    return '…';
  }
}
