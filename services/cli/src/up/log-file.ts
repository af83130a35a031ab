import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createLogger, type Logger } from '@loopwarden/runtime';
import type { Config } from '../config/settings.ts';
import { prepareFolder } from '../data-folder.ts';
import { EXIT } from '../exit-code.ts';
import type { Output } from '../terminal/output.ts';
import { type Outcome, succeed } from '../user-error.ts';

/** Log lines of one start, kept beside the data: the terminal is for verdicts. */
export interface LogFile {
  readonly path: string;
  readonly logger: Logger;
}

/** Begins the file anew, so that it never holds more than one start. It stays open until the process ends. */
export function openLogFile({ dataDir, logger }: Config): Outcome<LogFile> {
  const folder = prepareFolder(dataDir);
  if (!folder.ok) return folder;
  const path = join(dataDir, 'up.log');
  const descriptor = openSync(path, 'w', 0o600);
  const stream = { write: (line: string): void => void writeSync(descriptor, line) };
  const lines = createLogger({ level: logger.level, format: 'json', output: 'stdout', stream });
  return succeed({ path, logger: lines });
}

/** A process that ends badly says on the terminal where to read why. */
export function pointToLog(path: string, { err }: Output): void {
  process.once('exit', (code) => {
    if (code === EXIT.failed) err(`loopwarden: something failed; what it was stands in ${path}`);
  });
}
