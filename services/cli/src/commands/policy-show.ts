import { explainPolicy } from '@loopwarden/detection';
import { Command } from 'commander';
import { withSettings } from '../config/setting-flags.ts';
import { EXIT } from '../exit-code.ts';
import { operatorKeysOf } from '../operator/operator-keys.ts';
import { explainedLines } from '../policy/explained-lines.ts';
import { inForce, type Revision, readRevisions } from '../policy/revisions.ts';
import { jsonText } from '../terminal/json-text.ts';
import { type Output, terminalOutput } from '../terminal/output.ts';
import { printable } from '../terminal/printable.ts';
import { timeText } from '../terminal/time-text.ts';
import { type Outcome, refuse, succeed } from '../user-error.ts';
import { type Session, withLog } from '../with-log.ts';

interface ShowOptions {
  readonly agent?: string;
  readonly revision?: string;
  readonly json?: boolean;
}

export function policyShowCommand(output: Output = terminalOutput): Command {
  const command = new Command('show')
    .description('Shows the policy in force, or what it means for one agent.')
    .option('--agent <id>', 'every setting in force for this agent, and where it comes from')
    .option('--revision <number>', 'an earlier revision')
    .option('--json', 'print JSON: the revision, or one object per setting');
  return withSettings(command).action(async (options: ShowOptions) => {
    process.exitCode = await withLog({ options: { ...options }, output }, (session) =>
      show(session, options),
    );
  });
}

async function show(session: Session, options: ShowOptions): Promise<Outcome<number>> {
  const { output } = session;
  const found = await revisionOf(session, options.revision);
  if (!found.ok) return found;
  const revision = found.value;
  const { agent, json } = options;
  if (agent === undefined) for (const line of wholeLines(revision, json === true)) output.out(line);
  else {
    const settings = explainPolicy(revision?.document ?? {}, agent);
    if (!json) output.out(`${originText(revision)} Agent ${printable(agent)}:`);
    const lines = json ? settings.map((setting) => jsonText(setting)) : explainedLines(settings, output);
    for (const line of lines) output.out(line);
  }
  return succeed(EXIT.clean);
}

/** The revision asked for, else the one in force; null: the defaults hold. */
async function revisionOf({ config, opened }: Session, wanted?: string): Promise<Outcome<Revision | null>> {
  const keys = operatorKeysOf(config);
  if (!keys.ok) return keys;
  const revisions = await readRevisions(opened, keys.value);
  if (wanted === undefined) return succeed(inForce(revisions));
  const found = revisions.find(({ revision }) => String(revision) === wanted);
  return found === undefined
    ? refuse('no_revision', `There is no revision ${wanted}. See: loopwarden policy history`)
    : succeed(found);
}

function wholeLines(revision: Revision | null, json: boolean): readonly string[] {
  if (json) {
    if (revision === null) return [jsonText({ revision: null, document: {} })];
    const { policy: _text, ...rest } = revision;
    return [jsonText({ ...rest, at: timeText(rest.at) })];
  }
  return revision === null
    ? [originText(revision)]
    : [originText(revision), jsonText(revision.document, { indent: 2 })];
}

function originText(revision: Revision | null): string {
  if (revision === null) return 'No policy was applied yet: the defaults hold, detectors off, guard on.';
  const { at, actor, reason, ignored } = revision;
  const state = ignored === null ? '' : ` Ignored: ${ignored}.`;
  return `Revision ${revision.revision}, applied ${timeText(at)} by ${printable(actor)}: ${printable(reason)}.${state}`;
}
