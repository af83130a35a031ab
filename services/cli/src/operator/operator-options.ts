import type { Command } from 'commander';
import { withSettings } from '../config/setting-flags.ts';

/** What every command asks that writes as an operator. */
export interface OperatorOptions {
  readonly reason: string;
  readonly actor?: string;
  readonly json?: boolean;
}

/** Gives a command what an operator's record says: why, who, and the key that signs it. */
export function withOperator(command: Command): Command {
  command
    .requiredOption('--reason <text>', 'why; kept in the log')
    .option('--actor <name>', 'who acts (default: the user of this system)')
    .option('--key <file>', 'private key to sign with (operator.signingKey)')
    .option('--json', 'print what was done as JSON');
  return withSettings(command);
}

/** The flags of an operator's command with --key in its place among the settings. */
export function operatorFlags(options: object): Readonly<Record<string, unknown>> {
  const flags: Readonly<Record<string, unknown>> = { ...options };
  return flags.key === undefined ? flags : { ...flags, operatorSigningKey: flags.key };
}
