import { Command } from 'commander';
import { commandConfig } from '../config/command-config.ts';
import { withSettings } from '../config/setting-flags.ts';
import { runDemo } from '../demo/run-demo.ts';
import { type Output, terminalOutput } from '../terminal/output.ts';
import { runUp } from '../up/run-up.ts';
import type { UserError } from '../user-error.ts';
import { reportError } from './report-error.ts';

const HELP = `
Log and detector run in this process; the log is a folder of yours (--data-dir). A log without any policy gets
one that turns the detectors on. For a fleet see: loopwarden detect

--demo shows it at work on a small simulated fleet, in a folder that is removed afterwards, and ends by itself.

Exit status: 0 stopped by a signal or, with --demo, all loops were stopped and nothing else; 1 something failed;
2 the configuration cannot be used.`;

interface UpOptions {
  readonly demo?: boolean;
}

export function upCommand(output: Output = terminalOutput): Command {
  const command = new Command('up')
    .summary('start everything on this machine')
    .description('Starts everything on this machine: a log, a detector, verdicts as they come.')
    .option('--demo', 'with a small simulated fleet of agents, some of which loop');
  return withSettings(command, { serves: true })
    .addHelpText('after', HELP)
    .action(async (options: UpOptions) => {
      await up(options, output);
    });
}

async function up(options: UpOptions, output: Output): Promise<void> {
  const loaded = commandConfig({ ...options }, 'serve', output);
  if (!loaded.ok) process.exitCode = reportError(loaded.error, output);
  else if (options.demo) await runDemo(loaded.value, output);
  else if (loaded.value.config.log === 'embedded') await runUp(loaded.value.config, output);
  else process.exitCode = reportError(NOT_EMBEDDED, output);
}

const NOT_EMBEDDED: UserError = {
  code: 'not_embedded',
  message: 'up keeps a log of its own, and log is kafka. Start a detector with: loopwarden detect',
};
