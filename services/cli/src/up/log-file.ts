import { openSync, renameSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createLogger, type Logger } from '@loopwarden/runtime';
import type { Config } from '../config/settings.ts';
import { prepareFolder } from '../data-folder.ts';
import { EXIT } from '../exit-code.ts';
import type { Output } from '../terminal/output.ts';
import { type Outcome, succeed } from '../user-error.ts';

/** Log lines, kept beside the data: the terminal is for verdicts. */
export interface LogFile {
  readonly path: string;
  readonly logger: Logger;
}

/** A larger file is put aside at a start; one older file is kept. */
const KEPT_BYTES = 10 * 1024 * 1024;

/** Goes on with the file, so that what led to a crash is still there. It stays open until the process ends. */
export function openLogFile({ dataDir, logger }: Config): Outcome<LogFile> {
  const folder = prepareFolder(dataDir);
  if (!folder.ok) return folder;
  const path = join(dataDir, 'up.log');
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > KEPT_BYTES) renameSync(path, `${path}.1`);
  const descriptor = openSync(path, 'a', 0o600);
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
