import type { Explained } from '@loopwarden/detection';
import { differenceLines } from '../recompute/finding-text.ts';
import type { Output } from '../terminal/output.ts';
import { counted, printable } from '../terminal/printable.ts';
import { type Column, tableLines } from '../terminal/table.ts';
import { timeText } from '../terminal/time-text.ts';
import { verdictLine } from '../verdicts/verdict-line.ts';
import type { Place, PlacedRecord } from './evidence.ts';
import type { EffectivePolicy, ExplainedVerdict, RecomputedVerdict } from './explain-verdict.ts';

/** As many characters of a digest as tell it from the others of a window. */
const DIGEST_SHOWN = 8;

/** An explanation for people: the verdict, what was published, the policy, the window. */
export function explainedLines(explained: ExplainedVerdict, output: Output): readonly string[] {
  const { published, recomputed, partition } = explained;
  const verdict = recomputed?.verdict ?? published?.verdict;
  if (verdict === undefined) return [];
  return [
    verdictLine(verdict, output),
    ...(verdict.message === '' ? [] : [`  ${printable(verdict.message, 400)}`]),
    '',
    ...publishedLines(explained, output),
    ...(recomputed === null ? [] : recomputedLines(recomputed, { partition, output })),
  ];
}

function publishedLines(explained: ExplainedVerdict, { paint }: Output): readonly string[] {
  const { state, published, differences, partial, partition } = explained;
  const where =
    published === null
      ? 'not published'
      : `published ${timeText(published.publishedAt)} at control ${partition}:${published.position}, lineage ${published.lineage}`;
  const colour = state === 'equal' ? 'green' : 'red';
  return [
    `${paint('bold', 'published')}  ${paint(colour, MEANING[state])}; ${where}`,
    ...differenceLines(differences),
    ...(partial
      ? [paint('yellow', '           the run may have begun before what the log still holds')]
      : []),
  ];
}

const MEANING: Readonly<Record<ExplainedVerdict['state'], string>> = {
  equal: 'as it is recomputed',
  different: 'otherwise than it is recomputed',
  missing: 'recomputed only',
  unexpected: 'the events that the log holds do not lead to it',
};

function recomputedLines(
  { trigger, policy, window, run, verdict }: RecomputedVerdict,
  { partition, output }: { readonly partition: number; readonly output: Output },
): readonly string[] {
  const { paint } = output;
  const event =
    trigger === null
      ? 'a renewal: its lineage began'
      : `${trigger.event.type.replaceAll('_', ' ')} at events ${partition}:${trigger.offset}, ${timeText(trigger.at)}`;
  const standing = run.standing.map(
    ({ sequence, action, match }) => `#${sequence} ${action} ${printable(match.tool ?? 'the run', 40)}`,
  );
  return [
    `${paint('bold', 'trigger')}    ${event}`,
    ...policyLines(policy, { partition, output }),
    `${paint('bold', 'standing')}   ${standing.length === 0 ? 'nothing' : standing.join(', ')}`,
    '',
    `${paint('bold', 'window')}     ${counted(window.length, 'record')}${verdict.action === 'release' ? '' : '; * those that count'}`,
    ...(window.length === 0 ? [] : windowLines(window, { partition, output })),
  ];
}

function policyLines(
  { revision, since, applied, settings }: EffectivePolicy,
  { partition, output }: { readonly partition: number; readonly output: Output },
): readonly string[] {
  const { paint } = output;
  const who = applied === null ? '' : ` by ${printable(applied.actor, 40)}: ${printable(applied.reason, 80)}`;
  const time = applied === null ? '' : `, applied ${timeText(applied.at)}${who}`;
  const from = since === null ? 'since before what was read' : `from events ${partition}:${since.offset} on`;
  const name = revision < 0 ? 'the defaults' : `revision ${revision}`;
  return [
    `${paint('bold', 'policy')}     ${name}${time}, ${from}`,
    ...settings.filter(({ source }) => source !== 'default').map((setting) => settingLine(setting, paint)),
  ];
}

function settingLine({ setting, value, source }: Explained, paint: Output['paint']): string {
  return `           ${setting} ${String(value)}  ${paint('dim', source)}`;
}

function windowLines(
  window: readonly PlacedRecord[],
  { partition, output }: { readonly partition: number; readonly output: Output },
): readonly string[] {
  const place = (of: Place | null): string => (of === null ? '–' : `${partition}:${of.offset}`);
  const columns: readonly Column<PlacedRecord>[] = [
    { title: ' ', align: 'left', cell: ({ counts }) => (counts ? '*' : ' ') },
    { title: 'TOOL', align: 'left', cell: ({ record }) => printable(record.tool, 40) },
    { title: 'ARGUMENTS', align: 'left', cell: ({ record }) => record.args.slice(0, DIGEST_SHOWN) },
    { title: 'CALL ID', align: 'left', cell: ({ record }) => printable(record.callId ?? '–', 24) },
    { title: 'CALL', align: 'right', cell: ({ call }) => place(call) },
    { title: 'RESULT', align: 'right', cell: ({ result }) => place(result) },
    { title: 'OUTCOME', align: 'left', cell: ({ record }) => outcomeText(record.outcome) },
    { title: 'AT', align: 'left', cell: ({ call, result }) => timeOf(result ?? call) },
  ];
  return tableLines(columns, window, (title) => output.paint('dim', title)).map((line) => `  ${line}`);
}

/** `result:digest` with the digest shortened from its end, which differs as much as its beginning. */
function outcomeText(outcome: string | null): string {
  if (outcome === null) return 'pending';
  const [kind = '', digest = ''] = outcome.split(':');
  return `${kind} ${digest.slice(0, DIGEST_SHOWN)}`;
}

function timeOf(place: Place | null): string {
  return place === null ? '–' : timeText(place.at);
}
