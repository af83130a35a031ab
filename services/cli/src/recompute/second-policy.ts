import {
  decide,
  forgetRun,
  handOut,
  hear,
  judge,
  openPartition,
  openStandings,
  type Policy,
  type ReadEvent,
  type ToolCall,
  type Verdict,
} from '@loopwarden/detection';

/** Runs whose standing verdicts are remembered; of one that was forgotten a warning may come twice. */
const RUNS_HELD = 100_000;

/**
 * The same events under another policy, with a gateway that hands its warnings out and refuses nothing: what was
 * recorded did happen. Policies and refusals of the recording are left out: they belong to the policy of then.
 */
export class SecondPolicy {
  readonly #partition;
  readonly #standings = openStandings();
  readonly #held = new Set<string>();

  constructor({ policy, maxRuns }: { readonly policy: Policy; readonly maxRuns: number }) {
    this.#partition = openPartition({ policy, revision: -1, maxRuns });
  }

  /** @param at record timestamp, epoch milliseconds */
  take(event: ReadEvent, at: number): readonly Verdict[] {
    if (event.type === 'policy') return [];
    const { verdicts } = judge(this.#partition, this.#asIfUnder(event), at);
    for (const verdict of verdicts) {
      hear(this.#standings, verdict, { partition: 0, lineage: 0 });
      this.#hold(verdict.runId);
    }
    if (event.type === 'run_end') this.#forget(event.runId);
    return verdicts;
  }

  #asIfUnder(event: Exclude<ReadEvent, { type: 'policy' }>): ReadEvent {
    if (event.type === 'tool_call') return { ...event, delivered: this.#handedOut(event) };
    return event.type === 'tool_result' && event.verdict !== null ? { ...event, verdict: null } : event;
  }

  #handedOut(call: ToolCall): ToolCall['delivered'] {
    const { action, verdict } = decide(this.#standings, call);
    return action === 'warn' && verdict !== null ? [handOut(this.#standings, verdict)] : [];
  }

  #hold(runId: string): void {
    this.#held.delete(runId);
    this.#held.add(runId);
    const [oldest] = this.#held.size > RUNS_HELD ? this.#held : [];
    if (oldest !== undefined) this.#forget(oldest);
  }

  #forget(runId: string): void {
    this.#held.delete(runId);
    forgetRun(this.#standings, runId);
  }
}
