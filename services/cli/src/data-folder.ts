import { accessSync, constants, mkdirSync } from 'node:fs';
import { type Outcome, refuse, succeed } from './user-error.ts';

/** Makes the data folder, for its user alone, or says why it cannot be used. */
export function prepareFolder(path: string): Outcome<null> {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    accessSync(path, constants.R_OK | constants.W_OK);
    return succeed(null);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return refuse(
      'data_dir',
      `The folder ${path} cannot be used (${code}). Choose another one with --data-dir.`,
    );
  }
}
