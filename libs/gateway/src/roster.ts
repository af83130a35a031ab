import { partitionOf } from '@loopwarden/stream';
import { ServedRun } from './served-run.ts';

interface RosterOptions {
  /** Names this start of this gateway. */
  readonly source: string;
  readonly partitions: number;
  readonly maxRuns: number;
  /** A run is no longer served: whatever else is kept of it goes too. */
  forgotten(run: ServedRun): void;
}

/** The runs that a gateway serves. */
export class Roster {
  readonly #options: RosterOptions;
  readonly #runs = new Map<string, ServedRun>();
  /** Grows whenever a run is forgotten: its numbers are gone, so what comes back goes on under a new source. */
  #generation = 0;

  constructor(options: RosterOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#runs.size;
  }

  get(runId: string): ServedRun | undefined {
    return this.#runs.get(runId);
  }

  all(): Iterable<ServedRun> {
    return this.#runs.values();
  }

  /** The run, newly served if need be, and from now on the most recently active. */
  serve(runId: string, now: number): ServedRun {
    const known = this.#runs.get(runId);
    if (known !== undefined) {
      this.#runs.delete(runId);
      this.#runs.set(runId, known);
      return known;
    }
    if (this.#runs.size >= this.#options.maxRuns) this.#forgetOldest();
    const { source, partitions } = this.#options;
    const run = new ServedRun(runId, {
      partition: partitionOf(runId, partitions),
      source: this.#generation === 0 ? source : `${source}.${this.#generation}`,
      now,
    });
    this.#runs.set(runId, run);
    return run;
  }

  forget(run: ServedRun): void {
    if (!this.#runs.delete(run.runId)) return;
    this.#generation += 1;
    this.#options.forgotten(run);
  }

  #forgetOldest(): void {
    const oldest = this.#runs.values().next().value;
    if (oldest !== undefined) this.forget(oldest);
  }

  /** Forgets the calls of runs that have ended and were not active since: no verdict comes that they could be late for. */
  forgetCallsOfEndedSince(time: number): void {
    for (const run of this.#runs.values()) if (run.ended && run.activeAt < time) run.calls.clear();
  }

  /** Forgets runs that were not active since. */
  forgetSilentSince(time: number): void {
    for (const run of [...this.#runs.values()]) if (run.activeAt < time) this.forget(run);
  }
}
