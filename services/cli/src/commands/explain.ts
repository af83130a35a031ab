import { Command } from 'commander';
import { withSettings } from '../config/setting-flags.ts';
import { EXIT } from '../exit-code.ts';
import { explainVerdict } from '../explain/explain-verdict.ts';
import { explainedJson } from '../explain/explained-json.ts';
import { explainedLines } from '../explain/explained-text.ts';
import { readVerdictName } from '../explain/verdict-name.ts';
import { operatorKeysOf } from '../operator/operator-keys.ts';
import { jsonText } from '../terminal/json-text.ts';
import { type Output, terminalOutput } from '../terminal/output.ts';
import { type Outcome, succeed } from '../user-error.ts';
import { type Session, withLog } from '../with-log.ts';

interface ExplainOptions {
  readonly json?: boolean;
}

const HELP = `
Only events of the run's partition are read, from the run's own beginning on; nothing is written to the log.
Arguments and results are shown as the log has them: as digests.

Exit status: 0 what was published is what is recomputed, 3 it is not, 2 there is no such verdict.

  loopwarden explain r-17/1767225600000.4`;

export function explainCommand(output: Output = terminalOutput): Command {
  const command = new Command('explain')
    .summary('show what led to a verdict')
    .description('Shows the calls and results that led to a verdict, and the policy that it was judged by.')
    .argument('<verdict>', 'RUN/EPOCH.SEQUENCE, as loopwarden tail shows it')
    .option('--json', 'print one object')
    .addHelpText('after', HELP);
  return withSettings(command).action(async (verdict: string, options: ExplainOptions) => {
    process.exitCode = await withLog({ options: { ...options }, output }, (session) =>
      explain(session, verdict, options),
    );
  });
}

async function explain(
  { config, opened, output }: Session,
  verdict: string,
  { json }: ExplainOptions,
): Promise<Outcome<number>> {
  const name = readVerdictName(verdict);
  if (!name.ok) return name;
  const keys = operatorKeysOf(config);
  if (!keys.ok) return keys;
  const maxRuns = config.detector.maxRunsPerPartition;
  const explained = await explainVerdict(opened, name.value, { keys: keys.value, maxRuns });
  if (!explained.ok) return explained;
  if (json) output.out(jsonText(explainedJson(explained.value)));
  else for (const line of explainedLines(explained.value, output)) output.out(line);
  return succeed(explained.value.state === 'equal' ? EXIT.clean : EXIT.verdicts);
}
