import { EXIT } from '../exit-code.ts';
import type { Output } from '../terminal/output.ts';
import { printableLines } from '../terminal/printable.ts';
import type { UserError } from '../user-error.ts';

/** Says what is wrong, with its code, whatever the text that it quotes, and gives the exit status for it. */
export function reportError({ code, message }: UserError, { err }: Output): number {
  err(`loopwarden: ${printableLines(message)} [${code}]`);
  return EXIT.badInput;
}
