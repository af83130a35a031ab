import {
  compilePolicy,
  type Note,
  type Policy,
  type PolicyApplied,
  type RunEvent,
} from '@loopwarden/detection';
import { EventReader } from '../event-reader.ts';
import type { JsonObject } from '../json-value.ts';
import type { PublicEvent } from '../transcript/public-event.ts';
import type { UserError } from '../user-error.ts';
import type { RunReport, VerdictReport } from './report.ts';
import { RunReplay } from './run-replay.ts';

/** Runs kept open; beyond it the least recently active one is reported and closed. */
const MAX_OPEN_RUNS = 2_000;

interface ReplayHandlers {
  /** A loop came up, or went one step up. */
  readonly verdict: (report: VerdictReport) => void;
  /** Nothing more is expected of a run. */
  readonly run: (report: RunReport) => void;
}

/**
 * Recorded events through the detector. The calls did happen, so none is refused; what a gateway would have
 * decided is only counted. Each run is judged by itself, so files may come in any order of time.
 */
export class Replay {
  /** Facts of the detector that are no verdicts, by kind. */
  readonly notes = new Map<Note['kind'], number>();
  readonly #handlers: ReplayHandlers;
  readonly #reader = new EventReader();
  /** Least recently active first. */
  readonly #runs = new Map<string, RunReplay>();
  #policy: Policy;
  #revision = 0;

  constructor(policy: JsonObject, handlers: ReplayHandlers) {
    this.#handlers = handlers;
    this.#policy = compilePolicy(policy);
  }

  /** Takes one event in. Returns what is wrong with it, or null. */
  feed(recorded: PublicEvent): UserError | null {
    const read = this.#reader.read(recorded, { policy: this.#policy, revision: this.#revision + 1 });
    if (!read.ok) return read.error;
    const { event, at, untimed } = read.value;
    if (event.type === 'policy') return this.#apply(event, at);
    const { notes } = this.#runOf(event, at).take(event, { at, untimed, args: recorded.args });
    for (const { kind } of notes) this.notes.set(kind, (this.notes.get(kind) ?? 0) + 1);
    return null;
  }

  /** Reports the runs that are still open. */
  finish(): void {
    for (const run of this.#runs.values()) this.#handlers.run(run.close());
    this.#runs.clear();
  }

  #apply(event: PolicyApplied, at: number): null {
    if (event.revision <= this.#revision) return null;
    this.#policy = compilePolicy(JSON.parse(event.policy));
    this.#revision = event.revision;
    for (const run of this.#runs.values()) run.apply(event, at);
    return null;
  }

  #runOf(event: RunEvent, at: number): RunReplay {
    const known = this.#runs.get(event.runId);
    const run =
      known ??
      new RunReplay({ event, at }, { policy: this.#policy, revision: this.#revision }, this.#handlers);
    this.#runs.delete(event.runId);
    this.#runs.set(event.runId, run);
    if (this.#runs.size > MAX_OPEN_RUNS) this.#closeOldest();
    return run;
  }

  #closeOldest(): void {
    const [oldest] = this.#runs;
    if (oldest === undefined) return;
    const [runId, run] = oldest;
    this.#handlers.run(run.close());
    this.#runs.delete(runId);
    this.#reader.forget(runId);
  }
}
