import type { Output } from '../terminal/output.ts';
import { counted } from '../terminal/printable.ts';
import { changeLine, findingLines, otherLine, revivedLine } from './finding-text.ts';
import type { ReplayListener } from './replay-listener.ts';
import type { Tally } from './tally.ts';
import { addFinding, openTotals, type ReplayTotals } from './totals.ts';

/** Lines of one kind that are shown; the rest is counted. */
const SHOWN = 1_000;

/** A replay of the log for people: each verdict when it is found, then the sums. */
export class TextReport implements ReplayListener {
  readonly totals = openTotals();
  readonly #output: Output;
  readonly #counts = new Map<string, number>();

  constructor(output: Output) {
    this.#output = output;
  }

  found: ReplayListener['found'] = (finding) => {
    addFinding(this.totals, finding);
    this.#show(finding.state, () => findingLines(finding, this.#output));
  };

  other: ReplayListener['other'] = (verdict) => {
    if (verdict.action !== 'release') this.#show('policy', () => [otherLine(verdict, this.#output)]);
  };

  changed: ReplayListener['changed'] = (change) => {
    this.totals.changes[change.change] += 1;
    if (change.change !== 'same') this.#show(change.change, () => [changeLine(change, this.#output)]);
  };

  revived: ReplayListener['revived'] = (revived) => {
    this.totals.revived += 1;
    this.#show('readable', () => [revivedLine(revived, this.#output)]);
  };

  close(tally: Tally, { whatIf }: { readonly whatIf: boolean }): void {
    const { out, paint } = this.#output;
    for (const [kind, count] of this.#counts) {
      if (count > SHOWN) out(paint('dim', `and ${counted(count - SHOWN, 'more')} ${kind}; --json has all`));
    }
    out('');
    for (const line of closingLines(this.totals, tally)) out(line);
    if (whatIf) out(changesText(this.totals));
  }

  #show(kind: string, lines: () => readonly string[]): void {
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    if (count <= SHOWN) for (const line of lines()) this.#output.out(line);
  }
}

function closingLines(
  { verdicts, partial, renewed, revived }: ReplayTotals,
  tally: Tally,
): readonly string[] {
  const { equal, different, missing, unexpected, pending } = verdicts;
  const warmUp = tally.warmUp === 0 ? '' : `, ${counted(tally.warmUp, 'earlier one')} to warm up`;
  const sums = [
    `${equal} equal`,
    `${different} different`,
    `${missing} missing`,
    `${unexpected} unexpected`,
    ...(pending > 0 ? [`${pending} not judged yet`] : []),
  ];
  const asides = [
    [partial, 'of them of a run that may have begun before what was read'],
    [renewed, 'of renewed runs'],
    [tally.repeated, 'published again, as after a crash'],
    [tally.superseded, 'on events that a newer lineage judged again'],
    [tally.unreadable, 'records of events that cannot be read'],
    [revived, 'events that were dead letters then and can be read now'],
    [tally.unreadableControl, 'control records that cannot be read'],
  ] as const;
  return [
    `Judged ${counted(tally.events, 'event')} again${warmUp}.`,
    `Verdicts: ${sums.join(', ')}.`,
    ...asides.flatMap(([count, what]) => (count === 0 ? [] : [`  ${count.toLocaleString('en')} ${what}`])),
  ];
}

function changesText({ changes }: ReplayTotals): string {
  const { earlier, later, never, newly, same } = changes;
  return `Runs blocked under the other policy: ${earlier} earlier, ${later} later, ${never} no longer, ${newly} newly, ${same} at the same event.`;
}
