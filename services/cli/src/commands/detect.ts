import { createLifecycle, createLogger } from '@loopwarden/runtime';
import { LogError } from '@loopwarden/stream';
import { Command } from 'commander';
import { commandConfig } from '../config/command-config.ts';
import { withSettings } from '../config/setting-flags.ts';
import type { Config } from '../config/settings.ts';
import { warnWithoutPolicy } from '../policy/warn-without-policy.ts';
import { type Output, terminalOutput } from '../terminal/output.ts';
import { addDetector, openForService } from '../up/start-stack.ts';
import { reportLogError } from '../with-log.ts';
import { reportError } from './report-error.ts';

const HELP = `
One of as many as the fleet needs: detectors of one group (detector.group) share the partitions. Log lines go to
standard output. Beyond loopback a detector starts with operator.keys only, or when operator.allowUnsigned says so.

Exit status: 0 stopped by a signal, 1 something failed, 2 the configuration cannot be used.`;

export function detectCommand(output: Output = terminalOutput): Command {
  const command = new Command('detect')
    .summary('start a detector for a fleet')
    .description('Starts a detector on the configured log and judges until a signal stops it.');
  return withSettings(command, { serves: true })
    .addHelpText('after', HELP)
    .action(async (options: object) => {
      const loaded = commandConfig({ ...options }, 'serve', output);
      if (loaded.ok) await detect(loaded.value.config, output);
      else process.exitCode = reportError(loaded.error, output);
    });
}

async function detect(config: Config, output: Output): Promise<void> {
  const logger = createLogger({ ...config.logger, output: 'stdout' });
  const lifecycle = createLifecycle({ process, log: logger, deadlineMs: config.stop.deadline });
  try {
    const opened = await openForService({ config, logger, lifecycle });
    if (!opened.ok) return void process.exit(reportError(opened.error, output));
    const port = await addDetector(opened.value, { config, logger, lifecycle });
    if (!port.ok) return void process.exit(reportError(port.error, output));
    logger.info('The detector is up.', {
      log: opened.value.place,
      group: config.detector.group,
      port: port.value,
    });
    await warnWithoutPolicy(opened.value, { config, logger });
  } catch (error) {
    if (!(error instanceof LogError)) throw error;
    reportLogError(error, output);
    await lifecycle.fail('The log failed.', error);
  }
}
