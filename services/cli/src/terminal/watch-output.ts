import { EXIT } from '../exit-code.ts';
import type { Output } from './output.ts';

/** Ends the process when nobody takes its output any more: quietly where a reader left, else in a sentence. */
export function watchOutput({ stdout, stderr, exit }: NodeJS.Process, { err }: Output): void {
  stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    // A reader that has seen enough (`| head`) closes the pipe: what it asked for is done.
    if (code === 'EPIPE') exit(EXIT.clean);
    err(
      `loopwarden: The output cannot be written (${code}). Free some space, or write it elsewhere. [output_failed]`,
    );
    exit(EXIT.failed);
  });
  // Nobody is left to be told.
  stderr.on('error', () => undefined);
}
