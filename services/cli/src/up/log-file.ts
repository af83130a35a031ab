import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createLogger, type Logger } from '@loopwarden/runtime';
import type { Config } from '../config/settings.ts';

/** Log lines of one start, kept beside the data: the terminal is for verdicts. */
export interface LogFile {
  readonly path: string;
  readonly logger: Logger;
  close(): void;
}

/** Begins the file anew, so that it never holds more than one start. */
export function openLogFile({ dataDir, logger }: Config): LogFile {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, 'up.log');
  const descriptor = openSync(path, 'w', 0o600);
  const stream = { write: (line: string): void => void writeSync(descriptor, line) };
  const { level } = logger;
  return {
    path,
    logger: createLogger({ level, format: 'json', output: 'stdout', stream }),
    close: () => closeSync(descriptor),
  };
}
