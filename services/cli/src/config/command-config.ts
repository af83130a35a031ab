import { unknownVariables } from '@loopwarden/runtime';
import type { Output } from '../terminal/output.ts';
import { printable } from '../terminal/printable.ts';
import type { Outcome } from '../user-error.ts';
import { type LoadedConfig, loadConfig, type Options } from './load-config.ts';
import { type Purpose, settings } from './settings.ts';

/** Longest sentence on a variable that is shown whole. */
const SENTENCE_SHOWN = 200;

/** The configuration of a command in this process. Variables that no setting has are said, and passed over. */
export function commandConfig(options: Options, purpose: Purpose, { err }: Output): Outcome<LoadedConfig> {
  for (const sentence of unknownVariables(settings, process.env)) {
    err(`loopwarden: ${printable(sentence, SENTENCE_SHOWN)} [unknown_variable]`);
  }
  return loadConfig(options, purpose);
}
