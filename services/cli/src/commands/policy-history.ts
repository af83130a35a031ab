import { Command } from 'commander';
import { withSettings } from '../config/setting-flags.ts';
import { EXIT } from '../exit-code.ts';
import { operatorKeysOf } from '../operator/operator-keys.ts';
import { inForce, type Revision, readRevisions } from '../policy/revisions.ts';
import { jsonText } from '../terminal/json-text.ts';
import { type Output, terminalOutput } from '../terminal/output.ts';
import { printable } from '../terminal/printable.ts';
import { tableLines } from '../terminal/table.ts';
import { timeText } from '../terminal/time-text.ts';
import { type Outcome, succeed } from '../user-error.ts';
import { type Session, withLog } from '../with-log.ts';

export function policyHistoryCommand(output: Output = terminalOutput): Command {
  const command = new Command('history')
    .description('Lists every policy that was ever applied, oldest first.')
    .option('--json', 'print one object per revision, its policy included');
  return withSettings(command).action(async (options: { json?: boolean }) => {
    process.exitCode = await withLog({ options: { ...options }, output }, (session) =>
      printHistory(session, options.json === true),
    );
  });
}

async function printHistory({ config, opened, output }: Session, json: boolean): Promise<Outcome<number>> {
  const keys = operatorKeysOf(config);
  if (!keys.ok) return keys;
  const revisions = await readRevisions(opened, keys.value);
  const { out } = output;
  if (json) {
    for (const { policy: _text, ...rest } of revisions) out(jsonText({ ...rest, at: timeText(rest.at) }));
  } else if (revisions.length === 0) {
    out('No policy was applied yet: the defaults hold, detectors off, guard on.');
  } else {
    for (const line of historyLines(revisions, output)) out(line);
  }
  return succeed(EXIT.clean);
}

function historyLines(revisions: readonly Revision[], { paint }: Output): readonly string[] {
  const newest = inForce(revisions);
  return tableLines<Revision>(
    [
      { title: 'REVISION', align: 'right', cell: ({ revision }) => String(revision) },
      { title: 'AT', align: 'left', cell: ({ at }) => timeText(at) },
      { title: 'ACTOR', align: 'left', cell: ({ actor }) => printable(actor, 24) },
      { title: 'KEY', align: 'left', cell: ({ signedBy }) => printable(signedBy ?? '–', 24) },
      {
        title: 'STATE',
        align: 'left',
        cell: (revision) => stateText(revision, newest),
        paint: (text, { ignored }) => paint(ignored === null ? 'green' : 'red', text),
      },
      { title: 'REASON', align: 'left', cell: ({ reason }) => printable(reason, 60) },
    ],
    revisions,
    (title) => paint('dim', title),
  );
}

function stateText(revision: Revision, newest: Revision | null): string {
  if (revision.ignored !== null) return `ignored: ${printable(revision.ignored, 60)}`;
  return revision === newest ? 'in force' : '';
}
