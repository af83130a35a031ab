import type { Output } from '../terminal/output.ts';
import { counted } from '../terminal/printable.ts';
import { closingLines, runTable, verdictText } from './people.ts';
import type { InputTotals } from './read-inputs.ts';
import type { RunReport, VerdictReport } from './report.ts';
import { addRun, openTotals, type RunTotals } from './totals.ts';

/** What is kept to be shown at the end; the rest is counted. */
const RUNS_SHOWN = 200;
const QUIET_RUNS_SHOWN = 20;
const VERDICTS_SHOWN = 500;
const INVALID_SHOWN = 5;

/** A replay for people: a table of the runs, then each verdict with what speaks for it. */
export class TextReport {
  readonly totals: RunTotals = openTotals();
  readonly input: { refused: (sentence: string) => void; invalid: (sentence: string) => void };
  readonly #output: Output;
  /** Verdicts are written when they come, not after the table. */
  readonly #live: boolean;
  readonly #looping: RunReport[] = [];
  readonly #quiet: RunReport[] = [];
  readonly #verdicts: VerdictReport[] = [];
  #invalid = 0;

  constructor(output: Output, live: boolean) {
    this.#output = output;
    this.#live = live;
    this.input = {
      refused: (sentence) => output.err(`skipped: ${sentence}`),
      invalid: (sentence) => {
        this.#invalid += 1;
        if (this.#invalid <= INVALID_SHOWN) output.err(`left out: ${sentence}`);
      },
    };
  }

  verdict = (report: VerdictReport): void => {
    if (this.#live) this.#write(verdictText(report, this.#output));
    else if (this.#verdicts.length < VERDICTS_SHOWN) this.#verdicts.push(report);
  };

  run = (report: RunReport): void => {
    addRun(this.totals, report);
    const shown = report.firstVerdictAtCall === null ? this.#quiet : this.#looping;
    const limit = report.firstVerdictAtCall === null ? QUIET_RUNS_SHOWN : RUNS_SHOWN;
    if (shown.length < limit) shown.push(report);
  };

  close(input: InputTotals): void {
    const runs = [...this.#looping, ...this.#quiet];
    if (runs.length > 0) this.#write(runTable(runs, this.#output));
    this.#more(this.totals.runs - runs.length, 'more run');
    for (const report of this.#verdicts) this.#write(['', ...verdictText(report, this.#output)]);
    const { warn, block, abort } = this.totals.verdicts;
    if (!this.#live) this.#more(warn + block + abort - this.#verdicts.length, 'more verdict');
    this.#write(['', ...closingLines(this.totals, input, this.#output)]);
  }

  #more(count: number, what: string): void {
    if (count > 0) this.#write([this.#output.paint('dim', `and ${counted(count, what)}; --json has all`)]);
  }

  #write(lines: readonly string[]): void {
    for (const line of lines) this.#output.out(line);
  }
}
