import { LogError } from '../log.ts';

// Primary result codes of SQLite (sqlite.org/rescode.html).
const BUSY = 5;
const LOCKED = 6;
const CORRUPT = 11;
const FULL = 13;
const NOT_A_DATABASE = 26;

/** The primary result code of an error of node:sqlite; null for other errors. */
function resultCode(error: unknown): number | null {
  if (!(error instanceof Error) || !('errcode' in error)) return null;
  return typeof error.errcode === 'number' ? error.errcode & 0xff : null;
}

/** Another process writes just now. */
export function isBusy(error: unknown): boolean {
  const code = resultCode(error);
  return code === BUSY || code === LOCKED;
}

/** An error of SQLite in the words of the log contract; other errors are passed through. */
export function logError(error: unknown, file: string): unknown {
  const code = resultCode(error);
  if (code === null || error instanceof LogError) return error;
  const because = { cause: error };
  switch (code) {
    case FULL:
      return new LogError('full', `No space is left for ${file}. Free some, or raise its limit.`, because);
    case CORRUPT:
    case NOT_A_DATABASE:
      return corrupt(file, 'it is damaged or no database at all', error);
    case BUSY:
    case LOCKED:
      return new LogError('unavailable', `Another process holds ${file}. Try again.`, because);
    default: {
      const reason = error instanceof Error ? error.message : String(error);
      return new LogError('unavailable', `${file} cannot be used: ${reason}.`, because);
    }
  }
}

export function corrupt(file: string, reason: string, cause?: unknown): LogError {
  return new LogError(
    'corrupt',
    `${file} is not used: ${reason}. Move it away, or name another directory.`,
    cause === undefined ? undefined : { cause },
  );
}
