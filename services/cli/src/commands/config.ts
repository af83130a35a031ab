import { type DescribedSetting, describeConfig } from '@loopwarden/runtime';
import { Command } from 'commander';
import { commandConfig } from '../config/command-config.ts';
import { withSettings } from '../config/setting-flags.ts';
import { settings } from '../config/settings.ts';
import { EXIT } from '../exit-code.ts';
import { jsonText } from '../terminal/json-text.ts';
import { type Output, terminalOutput } from '../terminal/output.ts';
import { printable } from '../terminal/printable.ts';
import { type Column, tableLines } from '../terminal/table.ts';
import { reportError } from './report-error.ts';

const HELP = `
A flag beats an environment variable, which beats the file. Secrets have no flag and are never printed.

Exit status: 0 shown, 2 the configuration has faults, each of which is named.`;

interface ShowOptions {
  readonly json?: boolean;
}

export function configCommand(output: Output = terminalOutput): Command {
  const config = new Command('config')
    .summary('show the configuration in force')
    .description('Shows the configuration in force.');
  const show = config
    .command('show')
    .description('Every setting with its value, where that comes from, and its names.')
    .option('--json', 'print one object per setting, with what it is for');
  withSettings(show)
    .addHelpText('after', HELP)
    .action((options: ShowOptions) => {
      process.exitCode = showConfig(options, output);
    });
  return config;
}

function showConfig(options: ShowOptions, output: Output): number {
  const loaded = commandConfig({ ...options }, 'serve', output);
  if (!loaded.ok) return reportError(loaded.error, output);
  const { config, origins, file } = loaded.value;
  const described = describeConfig(settings, config, origins);
  const { out, paint } = output;
  if (options.json) {
    for (const setting of described) out(jsonText(setting));
    return EXIT.clean;
  }
  out(
    paint(
      'dim',
      file === null ? 'No file: there is no loopwarden.json5 here, and no --config.' : `File: ${file}`,
    ),
  );
  for (const line of tableLines(columns(output), described, (title) => paint('dim', title))) out(line);
  return EXIT.clean;
}

function columns({ paint }: Output): readonly Column<DescribedSetting>[] {
  const isSet = ({ origin }: DescribedSetting): boolean => origin !== 'default';
  return [
    { title: 'SETTING', align: 'left', cell: ({ key }) => key },
    {
      title: 'VALUE',
      align: 'left',
      cell: ({ value }) => (value === null || value === '' ? '–' : printable(value, 48)),
      paint: (text, setting) => (isSet(setting) ? paint('bold', text) : text),
    },
    {
      title: 'FROM',
      align: 'left',
      cell: ({ origin }) => origin,
      paint: (text, setting) => (isSet(setting) ? paint('green', text) : paint('dim', text)),
    },
    { title: 'VARIABLE', align: 'left', cell: ({ environment }) => environment },
    { title: 'FLAG', align: 'left', cell: ({ flag }) => flag ?? '–' },
  ];
}
