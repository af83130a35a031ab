import { type Verdict, verdictId } from '@loopwarden/detection';
import type { Output } from '../terminal/output.ts';
import { counted, printable } from '../terminal/printable.ts';
import { timeText } from '../terminal/time-text.ts';
import { verdictLine } from '../verdicts/verdict-line.ts';
import { type DifferingField, differingFields } from './differing-fields.ts';
import type { FirstRefusal, RunChange } from './policy-change.ts';
import type { Finding, Revived } from './replay-listener.ts';

const STATE_STYLE = {
  equal: 'green',
  different: 'red',
  missing: 'red',
  unexpected: 'red',
  pending: 'yellow',
} as const;

/** Wide enough for every state, so that verdicts stand in a column. */
const STATE_WIDTH = 10;
const VALUE_SHOWN = 120;

/** One verdict of a replay: how it came out, what it says, and where it differs. */
export function findingLines(finding: Finding, output: Output): readonly string[] {
  const { state, recomputed, published, partition } = finding;
  const { verdict, offset } = recomputed ?? published;
  const word = output.paint(STATE_STYLE[state], state.padEnd(STATE_WIDTH));
  const place = published === null ? 'not published' : `published at ${partition}:${published.position}`;
  const cautions = [
    ...(finding.partial ? ['the run may have begun before what was read'] : []),
    ...(finding.renewed ? ['renewed run'] : []),
  ];
  const where = [`event ${partition}:${offset}`, timeText(verdict.at), place, ...cautions].join(', ');
  const head = `${word}  ${verdictLine(verdict, output)}`;
  if (state === 'equal') return [head];
  const both = recomputed !== null && published !== null;
  const differences = both ? differingFields(published.verdict, recomputed.verdict) : [];
  return [head, `    ${output.paint('dim', where)}`, ...differenceLines(differences)];
}

/** Where a verdict was published otherwise than it is recomputed. */
export function differenceLines(differences: readonly DifferingField[]): readonly string[] {
  return differences.map(
    ({ field, published, recomputed }) =>
      `    ${field}: published ${valueText(published)}, recomputed ${valueText(recomputed)}`,
  );
}

/** Names a verdict that nobody published: by its own id another one may be known. */
function wouldBeId(verdict: Verdict): string {
  return `~${verdictId(verdict)}`;
}

/** A verdict that the second policy leads to. */
export function otherLine(verdict: Verdict, output: Output): string {
  return `${output.paint('bold', 'policy'.padEnd(STATE_WIDTH))}  ${verdictLine(verdict, output, wouldBeId(verdict))}`;
}

/** A run that would have been blocked at another time. */
export function changeLine(
  { runId, change, recorded, other, refused }: RunChange,
  { paint }: Output,
): string {
  const then =
    recorded === null
      ? 'was not blocked'
      : `was blocked ${refusalText(recorded, verdictId(recorded.verdict))}`;
  const now =
    other === null ? 'would not be' : `would be blocked ${refusalText(other, wouldBeId(other.verdict))}`;
  // Of a run that was stopped nobody knows what it would have done next.
  const unknown = refused > 0 && (change === 'later' || change === 'never');
  const caution = unknown
    ? `; ${counted(refused, 'call')} refused then, what would have followed is not recorded`
    : '';
  return `${paint('bold', change.padEnd(STATE_WIDTH))}  ${printable(runId, 72)} ${then}, ${now}${caution}`;
}

export function revivedLine(
  { partition, offset, code, runId, eventType }: Revived,
  { paint }: Output,
): string {
  const what = `${eventType.replaceAll('_', ' ')} of ${printable(runId, 72)} at ${partition}:${offset}`;
  return `${paint('yellow', 'readable'.padEnd(STATE_WIDTH))}  ${what} was a dead letter (${printable(code, 32)}); no detector judged it then`;
}

function refusalText({ verdict }: FirstRefusal, id: string): string {
  const { detector, count, at } = verdict;
  return `at ${timeText(at)} (${detector.replaceAll('_', ' ')}, ${count} times, ${printable(id, 80)})`;
}

function valueText(value: unknown): string {
  return printable(JSON.stringify(value) ?? 'nothing', VALUE_SHOWN);
}
