import { createLifecycle } from '@loopwarden/runtime';
import { LogError } from '@loopwarden/stream';
import { reportError } from '../commands/report-error.ts';
import type { Config } from '../config/settings.ts';
import type { Output } from '../terminal/output.ts';
import { clockText } from '../terminal/time-text.ts';
import { followVerdicts } from '../verdicts/follow-verdicts.ts';
import { verdictLine } from '../verdicts/verdict-line.ts';
import { reportLogError } from '../with-log.ts';
import { type LogFile, openLogFile, pointToLog } from './log-file.ts';
import { startStack } from './start-stack.ts';
import { upLines } from './up-text.ts';

/** Log and detector in this process until a signal; verdicts go to the terminal as they come. */
export async function runUp(config: Config, output: Output): Promise<void> {
  const logFile = openLogFile(config);
  if (logFile.ok) await runWith(config, logFile.value, output);
  else process.exitCode = reportError(logFile.error, output);
}

async function runWith(config: Config, { path, logger }: LogFile, output: Output): Promise<void> {
  const { out, paint } = output;
  pointToLog(path, output);
  const lifecycle = createLifecycle({ process, log: logger, deadlineMs: config.stop.deadline });
  lifecycle.closing('words', () => out(`Stopped. Everything is kept in ${config.dataDir}.`));
  lifecycle.signal.addEventListener('abort', () => out(paint('dim', 'Stopping…')));
  try {
    const started = await startStack({ config, logger, lifecycle });
    if (!started.ok) return void process.exit(reportError(started.error, output));
    for (const line of upLines(started.value, { config, logFile: path }, output)) out(line);
    await followVerdicts(
      started.value.opened,
      { from: 'end', signal: lifecycle.signal },
      ({ verdict, record }) =>
        out(`${paint('dim', clockText(record.timestamp))}  ${verdictLine(verdict, output)}`),
    );
  } catch (error) {
    if (!(error instanceof LogError)) throw error;
    reportLogError(error, output);
    await lifecycle.fail('The log failed.', error);
  }
}
