import type { Note } from '@loopwarden/detection';
import type { Output } from '../terminal/output.ts';
import { runLine, summaryLine, verdictLine } from './json-lines.ts';
import type { InputTotals } from './read-inputs.ts';
import type { RunReport, VerdictReport } from './report.ts';
import { addRun, openTotals, type RunTotals } from './totals.ts';

/** A replay for programs: one object a line, verdicts when they come. */
export class JsonReport {
  readonly totals: RunTotals = openTotals();
  readonly input: { refused: (sentence: string) => void; invalid: (sentence: string) => void };
  readonly #output: Output;

  constructor(output: Output) {
    this.#output = output;
    this.input = { refused: output.err, invalid: output.err };
  }

  verdict = (report: VerdictReport): void => this.#output.out(verdictLine(report));

  run = (report: RunReport): void => {
    addRun(this.totals, report);
    this.#output.out(runLine(report));
  };

  close(input: InputTotals, notes: ReadonlyMap<Note['kind'], number>): void {
    this.#output.out(summaryLine(this.totals, input, notes));
  }
}
