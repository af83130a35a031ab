import type { Verdict } from '@loopwarden/detection';
import type { Output } from '../terminal/output.ts';
import { counted, printable, rangesText, spanText } from '../terminal/printable.ts';
import { type Column, tableLines } from '../terminal/table.ts';
import type { InputTotals } from './read-inputs.ts';
import type { RunReport, VerdictReport } from './report.ts';
import type { RunTotals } from './totals.ts';

const TOOLS_SHOWN = 3;

export const ACTION_STYLE = { warn: 'yellow', block: 'red', abort: 'magenta', release: 'dim' } as const;

/** The runs as a table. */
export function runTable(runs: readonly RunReport[], { paint }: Output): readonly string[] {
  const columns: readonly Column<RunReport>[] = [
    { title: 'RUN', align: 'left', cell: ({ runId }) => printable(runId, 48) },
    { title: 'AGENT', align: 'left', cell: ({ agentId }) => printable(agentId ?? '–', 20) },
    { title: 'CALLS', align: 'right', cell: ({ calls }) => calls.toLocaleString('en') },
    { title: 'TOOLS', align: 'left', cell: toolsText },
    {
      title: 'VERDICTS',
      align: 'left',
      cell: verdictsText,
      paint: (text, run) => paintWorst(text, run, paint),
    },
    { title: 'FIRST AT CALL', align: 'right', cell: (run) => run.firstVerdictAtCall?.toString() ?? '–' },
    { title: 'WOULD SAVE', align: 'left', cell: savedText },
  ];
  return tableLines(columns, runs, (text) => paint('dim', text));
}

/** One verdict and what speaks for it. */
export function verdictText({ verdict, ...evidence }: VerdictReport, { paint }: Output): readonly string[] {
  const { action, detector, runId, shadow, count, pairedTool } = verdict;
  const head = `${paint(ACTION_STYLE[action], action.toUpperCase())} ${paint('bold', printable(subjectOf(verdict), 80))}`;
  const what = `${printable(runId, 48)} at call ${evidence.atCall}, ${shadow ? 'observed, ' : ''}${detector}`;
  const asked = [
    [verdict.match.tool, evidence.args],
    [pairedTool, evidence.otherArgs],
  ].flatMap(([tool, args]) => (tool && args ? [`    ${printable(tool, 48)} ${args}`] : []));
  const result = evidence.sameResult ? 'the same result each time' : 'not the same result each time';
  const calls = rangesText(evidence.calls);
  return [
    `${head}  ${paint('dim', what)}`,
    ...asked,
    `    ${count} ${detector === 'ping_pong' ? 'in turn with the next call' : 'times'}, ${result}; calls ${calls}${verdict.threshold > 0 ? ` (limit ${verdict.threshold})` : ''}`,
  ];
}

/** What was found, in a sentence or two. */
export function closingLines(totals: RunTotals, input: InputTotals, { paint }: Output): readonly string[] {
  const { looping, runs, verdicts, saved } = totals;
  const found =
    looping === 0
      ? paint('green', `No loops in ${counted(runs, 'run')}, ${counted(totals.calls, 'call')}.`)
      : `${looping} of ${counted(runs, 'run')} looped: ${countsText(verdicts)}. ${savedSentence(saved)}`;
  return [found, paint('dim', readSentence(input))];
}

/** What a verdict is about, in a word or two. */
export function subjectOf({ match, detector, pairedTool }: Verdict): string {
  if (match.scope === 'run') return `the run, by ${match.tool}`;
  return detector === 'ping_pong' ? `${match.tool} ⇄ ${pairedTool}` : `${match.tool}`;
}

function toolsText({ tools }: RunReport): string {
  const byCalls = [...tools].sort(([, a], [, b]) => b - a);
  const shown = byCalls.slice(0, TOOLS_SHOWN).map(([tool, calls]) => `${printable(tool, 20)} ${calls}`);
  return shown.join(', ') + (byCalls.length > TOOLS_SHOWN ? ', …' : '');
}

function verdictsText({ verdicts }: Pick<RunReport, 'verdicts'>): string {
  const found = (['abort', 'block', 'warn'] as const).filter((action) => verdicts[action] > 0);
  return found.length === 0 ? 'none' : found.map((action) => `${verdicts[action]} ${action}`).join(', ');
}

function countsText({ abort, block, warn }: RunTotals['verdicts']): string {
  const counts = [
    [abort, 'abort'],
    [block, 'block'],
    [warn, 'warning'],
  ] as const;
  return counts.flatMap(([count, noun]) => (count === 0 ? [] : [counted(count, noun)])).join(', ');
}

function paintWorst(text: string, { verdicts }: RunReport, paint: Output['paint']): string {
  const worst = (['abort', 'block', 'warn'] as const).find((action) => verdicts[action] > 0);
  return worst === undefined ? paint('green', text) : paint(ACTION_STYLE[worst], text);
}

function savedText({ saved }: RunReport): string {
  if (saved.calls === 0) return '–';
  return `${counted(saved.calls, 'call')}, ${saved.ms === null ? '–' : spanText(saved.ms)}`;
}

function savedSentence({ calls, ms, untimed }: RunTotals['saved']): string {
  if (calls === 0) return 'No call was made after a block.';
  const enforced = `Enforced, this would have saved ${counted(calls, 'call')}`;
  if (untimed === calls) return `${enforced}; how long they took was not recorded.`;
  return `${enforced} and ${spanText(ms)}${untimed === 0 ? '' : ` (of ${untimed} no times were recorded)`}.`;
}

function readSentence(input: InputTotals): string {
  const formats = [...input.formats].map(([format, count]) => `${count} ${format}`).join(', ');
  const files = [...input.formats.values()].reduce((sum, count) => sum + count, 0);
  const odd = [
    [input.skipped, 'without tools'],
    [input.unreadable, 'unreadable'],
    [input.truncated, 'cut off'],
    [input.invalid, 'invalid'],
  ].flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`]));
  return `Read ${counted(input.lines, 'line')} of ${counted(files, 'file')} (${formats})${odd.length === 0 ? '' : `; ${odd.join(', ')}`}.`;
}
