import { Command, CommanderError } from 'commander';
import { configCommand } from './commands/config.ts';
import { conformanceCommand } from './commands/conformance.ts';
import { deadLettersCommand } from './commands/dead-letters.ts';
import { detectCommand } from './commands/detect.ts';
import { explainCommand } from './commands/explain.ts';
import { gatewaysCommand } from './commands/gateways.ts';
import { keysCommand } from './commands/keys.ts';
import { logCommand } from './commands/log.ts';
import { policyCommand } from './commands/policy.ts';
import { policyApplyCommand } from './commands/policy-apply.ts';
import { policyHistoryCommand } from './commands/policy-history.ts';
import { policyShowCommand } from './commands/policy-show.ts';
import { releaseCommand } from './commands/release.ts';
import { replayCommand } from './commands/replay.ts';
import { schemasCommand } from './commands/schemas.ts';
import { tailCommand } from './commands/tail.ts';
import { topicsCommand } from './commands/topics.ts';
import { upCommand } from './commands/up.ts';
import { EXIT } from './exit-code.ts';
import { terminalOutput } from './terminal/output.ts';
import { printable } from './terminal/printable.ts';
import { watchOutput } from './terminal/watch-output.ts';

const VERSION = '0.1.0';

/** The command with all its parts. */
function program(): Command {
  const whole = new Command('loopwarden')
    .description('The loop guard for fleets of AI agents.')
    .version(VERSION)
    .addCommand(upCommand())
    .addCommand(detectCommand())
    .addCommand(replayCommand())
    .addCommand(conformanceCommand())
    .addCommand(
      policyCommand()
        .addCommand(policyApplyCommand())
        .addCommand(policyHistoryCommand())
        .addCommand(policyShowCommand()),
    )
    .addCommand(releaseCommand())
    .addCommand(explainCommand())
    .addCommand(tailCommand())
    .addCommand(gatewaysCommand())
    .addCommand(deadLettersCommand())
    .addCommand(logCommand())
    .addCommand(topicsCommand())
    .addCommand(schemasCommand())
    .addCommand(keysCommand())
    .addCommand(configCommand());
  answerForExit(whole);
  return whole;
}

/** Wrong arguments are bad input: the exit status is ours, not the parser's, and the sentence has the form of all others. */
function answerForExit(command: Command): void {
  command.exitOverride().configureOutput({ outputError: (text, write) => write(usageError(text)) });
  command.commands.forEach(answerForExit);
}

function usageError(text: string): string {
  const sentence = printable(text.replace(/^error: /, ''), 400).replace(/\.?$/, '.');
  const said = sentence.charAt(0).toUpperCase() + sentence.slice(1);
  return `loopwarden: ${said} Run with --help for what is possible. [bad_usage]\n`;
}

watchOutput(process, terminalOutput);

try {
  await program().parseAsync();
} catch (error) {
  process.exitCode = statusOf(error);
}

/** Help is no failure, wrong arguments were told; of anything else nobody knows yet. */
function statusOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.clean : EXIT.badInput;
  terminalOutput.err(`loopwarden: unexpected: ${error instanceof Error ? error.message : String(error)}`);
  return EXIT.failed;
}
