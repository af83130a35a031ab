import { explainPolicy } from '@loopwarden/detection';
import { Command } from 'commander';
import { EXIT } from '../exit-code.ts';
import { explainedLines } from '../policy/explained-lines.ts';
import { type CheckedPolicy, readPolicyFile } from '../policy/policy-file.ts';
import { jsonText } from '../terminal/json-text.ts';
import { type Output, terminalOutput } from '../terminal/output.ts';
import { counted, printableLines } from '../terminal/printable.ts';
import { reportError } from './report-error.ts';

export function policyCommand(output: Output = terminalOutput): Command {
  const policy = new Command('policy')
    .summary('check, explain and apply policies')
    .description('Checks, explains and applies policies.');
  policy
    .command('check')
    .description('Says whether a policy is accepted, and what is wrong with it if not.')
    .argument('<file>', 'policy in JSON5: an OpenClaw configuration or its loopDetection block')
    .option('--json', 'print {"accepted", "issues", "hints"}')
    .addHelpText('after', '\nExit status: 0 accepted, 2 refused or not readable.')
    .action(async (path: string, { json }: { json?: boolean }) => {
      const read = await readPolicyFile(path);
      if (!read.ok) process.exitCode = reportError(read.error, output);
      else process.exitCode = json ? checkJson(read.value, output) : check(path, read.value, output);
    });
  policy
    .command('explain')
    .description('Shows every setting in force for an agent, and where it comes from.')
    .argument('<file>', 'policy in JSON5')
    .option('--agent <id>', 'agent; without one, what holds for agents that the policy does not name')
    .option('--json', 'print one object per setting')
    .addHelpText('after', '\nExit status: 0 explained, 2 refused or not readable.')
    .action(async (path: string, { agent, json }: { agent?: string; json?: boolean }) => {
      const read = await readPolicyFile(path);
      if (!read.ok) process.exitCode = reportError(read.error, output);
      else process.exitCode = explain(path, read.value, { agent: agent ?? null, json, output });
    });
  return policy;
}

function check(path: string, { issues, hints }: CheckedPolicy, output: Output): number {
  const { out, paint } = output;
  for (const { message } of issues) out(`${paint('red', 'refused')}  ${printableLines(message)}`);
  for (const { message } of hints) out(`${paint('yellow', 'note')}     ${printableLines(message)}`);
  out(
    issues.length === 0
      ? paint('green', `${path} is accepted.`)
      : paint('red', `${path} is refused: ${counted(issues.length, 'issue')}.`),
  );
  return issues.length === 0 ? EXIT.clean : EXIT.badInput;
}

function checkJson({ issues, hints }: CheckedPolicy, { out }: Output): number {
  const accepted = issues.length === 0;
  out(jsonText({ accepted, issues, hints }));
  return accepted ? EXIT.clean : EXIT.badInput;
}

interface Explaining {
  readonly agent: string | null;
  readonly json: boolean | undefined;
  readonly output: Output;
}

function explain(path: string, checked: CheckedPolicy, { agent, json, output }: Explaining): number {
  if (checked.issues.length > 0) return check(path, checked, output);
  const settings = explainPolicy(checked.document, agent);
  if (json) {
    for (const setting of settings) output.out(jsonText(setting));
    return EXIT.clean;
  }
  const { out } = output;
  out(agent === null ? 'Agents that the policy does not name:' : `Agent ${agent}:`);
  for (const line of explainedLines(settings, output)) out(line);
  return EXIT.clean;
}
