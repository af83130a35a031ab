import { Command } from 'commander';
import { EXIT } from '../exit-code.ts';
import type { JsonObject } from '../json-value.ts';
import { actorOf } from '../operator/actor.ts';
import { signingKeyOf } from '../operator/operator-keys.ts';
import { type OperatorOptions, operatorFlags, withOperator } from '../operator/operator-options.ts';
import { type AppliedPolicy, applyPolicy, type PolicyToApply } from '../policy/apply-policy.ts';
import { differenceText } from '../policy/difference-lines.ts';
import { policyDifference } from '../policy/policy-difference.ts';
import { readPolicyFile } from '../policy/policy-file.ts';
import { policyInForce } from '../policy/policy-in-force.ts';
import { policyPart } from '../policy/policy-part.ts';
import { ask, canAsk } from '../terminal/ask.ts';
import { jsonText } from '../terminal/json-text.ts';
import { type Output, terminalOutput } from '../terminal/output.ts';
import { counted } from '../terminal/printable.ts';
import { type Outcome, refuse, succeed } from '../user-error.ts';
import { type Session, withLog } from '../with-log.ts';
import { reportError } from './report-error.ts';

const HELP = `
Of a whole OpenClaw configuration only tools.loopDetection, agents.list[].tools.loopDetection and loopwarden
are applied. Running it again completes what was interrupted.

Exit status: 0 applied, 1 not applied (declined, or the log failed), 2 refused.`;

interface ApplyOptions extends OperatorOptions {
  readonly yes?: boolean;
}

export function policyApplyCommand(output: Output = terminalOutput): Command {
  const command = new Command('apply')
    .description('Puts a policy in force for the whole fleet, after showing what it changes.')
    .argument('<file>', 'policy in JSON5: an OpenClaw configuration or its loopDetection block')
    .option('-y, --yes', 'do not ask');
  return withOperator(command)
    .addHelpText('after', HELP)
    .action(async (path: string, options: ApplyOptions) => {
      process.exitCode = await applyFile(path, options, output);
    });
}

async function applyFile(path: string, options: ApplyOptions, output: Output): Promise<number> {
  const document = await acceptedPolicy(path, output);
  if (!document.ok) return reportError(document.error, output);
  return withLog({ options: operatorFlags(options), output }, (session) =>
    applyAfterAsking(document.value, options, session),
  );
}

/** The policy part of a file that the check accepts. */
async function acceptedPolicy(path: string, { err, paint }: Output): Promise<Outcome<JsonObject>> {
  const read = await readPolicyFile(path);
  if (!read.ok) return read;
  const { document, issues, hints } = read.value;
  for (const { message } of issues) err(`${paint('red', 'refused')}  ${message}`);
  if (issues.length > 0)
    return refuse('bad_policy', `The policy "${path}" is refused. Mend what is named above.`);
  for (const { message } of hints) err(`${paint('yellow', 'note')}     ${message}`);
  return succeed(policyPart(document));
}

async function applyAfterAsking(
  document: JsonObject,
  options: ApplyOptions,
  { config, opened, output }: Session,
): Promise<Outcome<number>> {
  const key = signingKeyOf(config);
  if (!key.ok) return key;
  const current = await policyInForce(opened, config);
  if (!current.ok) return current;
  const newest = current.value;
  const difference = policyDifference(newest?.document ?? {}, document);
  if (!options.json) {
    output.out(
      newest === null
        ? 'No policy was applied yet: the defaults hold.'
        : `In force: revision ${newest.revision}.`,
    );
    for (const line of differenceText(difference, output)) output.out(line);
  }
  if (!options.yes) {
    if (options.json || !canAsk())
      return refuse('not_confirmed', 'Nobody is here to be asked. Add --yes to apply.');
    if (!(await ask('Apply it?'))) return declined(output);
  }
  const toApply: PolicyToApply = {
    document,
    actor: actorOf(options.actor),
    reason: options.reason,
    key: key.value,
    newest,
  };
  const applied = await applyPolicy(opened, toApply);
  if (!applied.ok) return applied;
  output.out(options.json ? jsonText({ ...applied.value, difference }) : appliedText(applied.value, output));
  return succeed(EXIT.clean);
}

function declined({ out }: Output): Outcome<number> {
  out('Nothing was applied.');
  return succeed(EXIT.failed);
}

function appliedText({ revision, partitions, again }: AppliedPolicy, { paint }: Output): string {
  const where = `in ${counted(partitions, 'partition')} of events`;
  return again
    ? paint('green', `Revision ${revision} says the same already; it stands ${where}.`)
    : paint('green', `Revision ${revision} is applied: it stands ${where}.`);
}
