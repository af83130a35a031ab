import { LogError } from '@loopwarden/stream';
import { reportError } from './commands/report-error.ts';
import { commandConfig } from './config/command-config.ts';
import type { Options } from './config/load-config.ts';
import type { Config } from './config/settings.ts';
import { EXIT } from './exit-code.ts';
import { type OpenedLog, type OpenLogOptions, openLog } from './open-log.ts';
import type { Output } from './terminal/output.ts';
import type { Outcome } from './user-error.ts';

/** What a command on a log works with. */
export interface Session {
  readonly config: Config;
  readonly opened: OpenedLog;
  readonly output: Output;
}

interface SessionOptions {
  readonly options: Options;
  readonly output: Output;
}

/**
 * Runs a command of an operator on the configured log and closes the log after it. Gives the exit status:
 * that of the work, 2 for what the user can mend, 1 where the log fails.
 */
export async function withLog(
  { options, output }: SessionOptions,
  work: (session: Session) => Promise<Outcome<number>>,
): Promise<number> {
  const loaded = commandConfig(options, 'operate', output);
  if (!loaded.ok) return reportError(loaded.error, output);
  const { config } = loaded.value;
  try {
    const opened = await openLog(config, { create: false, say: sayTrouble(output) });
    if (!opened.ok) return reportError(opened.error, output);
    const done = await work({ config, opened: opened.value, output }).finally(() => opened.value.log.close());
    return done.ok ? done.value : reportError(done.error, output);
  } catch (error) {
    return reportLogError(error, output);
  }
}

/** A driver's warnings go where errors go; that it is well need not be said. */
function sayTrouble({ err }: Output): OpenLogOptions['say'] {
  return ({ level, message }) => {
    if (level !== 'info') err(`loopwarden: ${message}`);
  };
}

/** Says what the log's failure is, with its code. Anything else is unexpected and thrown on. */
export function reportLogError(error: unknown, { err }: Output): number {
  if (!(error instanceof LogError)) throw error;
  err(`loopwarden: ${error.message} [log_${error.code}]`);
  return EXIT.failed;
}
