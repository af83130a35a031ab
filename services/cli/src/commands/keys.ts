import { existsSync } from 'node:fs';
import type { OperatorKey, OperatorKeys } from '@loopwarden/wire';
import { Command } from 'commander';
import { commandConfig } from '../config/command-config.ts';
import { withSettings } from '../config/setting-flags.ts';
import { EXIT } from '../exit-code.ts';
import { actorOf } from '../operator/actor.ts';
import { readOperatorKeys } from '../operator/key-files.ts';
import { type KeyFiles, keyFilesOf, makeKey, retireKey } from '../operator/new-key.ts';
import { jsonText } from '../terminal/json-text.ts';
import { type Output, terminalOutput } from '../terminal/output.ts';
import { tableLines } from '../terminal/table.ts';
import { timeText } from '../terminal/time-text.ts';
import { type Outcome, refuse, succeed } from '../user-error.ts';
import { reportError } from './report-error.ts';

const HELP = `
Policies and releases are signed with a private key; detectors and gateways check them against the file of
public keys (operator.keys), which they read when they start. A key is retired from a time on and never taken
out, so that what it signed before stays true.`;

export function keysCommand(output: Output = terminalOutput): Command {
  const keys = new Command('keys')
    .summary("make, list and retire operators' keys")
    .description("Makes, lists and retires operators' keys.");
  keys.addHelpText('after', HELP);
  const onFiles = (options: object, work: (files: KeyFiles) => Outcome<number>): void => {
    const loaded = commandConfig({ ...options }, 'operate', output);
    const done = loaded.ok ? work(keyFilesOf(loaded.value.config)) : loaded;
    process.exitCode = done.ok ? done.value : reportError(done.error, output);
  };
  withSettings(
    keys
      .command('new')
      .description('Makes a key pair (Ed25519).')
      .option('--id <name>', 'its name (default: the user of this system)'),
  ).action((options: { id?: string }) =>
    onFiles(options, (files) => printNew(files, actorOf(options.id), output)),
  );
  withSettings(
    keys.command('list').description('Lists the public keys.').option('--json', 'print one object per key'),
  ).action((options: { json?: boolean }) =>
    onFiles(options, (files) => printKeys(files, options.json === true, output)),
  );
  withSettings(
    keys
      .command('retire')
      .description('Says from when on a key is no longer good.')
      .argument('<id>', 'the key')
      .option('--at <time>', 'ISO 8601 (default: now)'),
  ).action((id: string, options: { at?: string }) =>
    onFiles(options, (files) => printRetired(files, { id, ...options }, output)),
  );
  return keys;
}

function printNew(files: KeyFiles, keyId: string, { out, paint }: Output): Outcome<number> {
  const made = makeKey(files, keyId);
  if (!made.ok) return made;
  out(paint('green', `Key ${keyId} is made.`));
  out(
    `  private  ${made.value.privateFile}  ${paint('dim', 'for you alone: operator.signingKey, or --key')}`,
  );
  out(`  public   ${files.keys}  ${paint('dim', 'for detectors and gateways: operator.keys')}`);
  out(paint('dim', 'Detectors and gateways read the public keys when they start: restart them.'));
  return succeed(EXIT.clean);
}

function printKeys(files: KeyFiles, json: boolean, { out, paint }: Output): Outcome<number> {
  const keys = existsSync(files.keys) ? readOperatorKeys(files.keys) : succeed<OperatorKeys>([]);
  if (!keys.ok) return keys;
  if (keys.value.length === 0 && !json) {
    out(`There is no key in ${files.keys}. Make one with: loopwarden keys new`);
    return succeed(EXIT.clean);
  }
  const columns = [
    { title: 'KEY', align: 'left', cell: ({ keyId }: OperatorKey) => keyId },
    {
      title: 'STATE',
      align: 'left',
      cell: ({ retiredFrom }: OperatorKey) =>
        retiredFrom === null ? 'in use' : `retired from ${timeText(retiredFrom)}`,
    },
  ] as const;
  const lines = json
    ? keys.value.map((key) => jsonText(key))
    : tableLines(columns, keys.value, (title) => paint('dim', title));
  for (const line of lines) out(line);
  return succeed(EXIT.clean);
}

function printRetired(
  files: KeyFiles,
  { id, at }: { id: string; at?: string },
  { out, paint }: Output,
): Outcome<number> {
  const time = at === undefined ? Date.now() : Date.parse(at);
  if (Number.isNaN(time))
    return refuse(
      'bad_time',
      `--at must be a time in ISO 8601, such as 2026-01-31T12:00:00Z, and is "${at}".`,
    );
  const retired = retireKey(files.keys, { keyId: id, at: time });
  if (!retired.ok) return retired;
  out(paint('green', `Key ${id} is retired from ${timeText(time)} on.`));
  out(paint('dim', 'Detectors and gateways read the public keys when they start: restart them.'));
  return succeed(EXIT.clean);
}
