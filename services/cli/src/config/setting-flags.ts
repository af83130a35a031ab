import { settingNames } from '@loopwarden/runtime';
import { type Command, Option } from 'commander';
import { settings } from './settings.ts';

type Setting = (typeof settings)[keyof typeof settings];

/** What help shows of the settings: the few that most people set. All others are taken too. */
const OFTEN_SET: ReadonlySet<string> = new Set(['dataDir', 'log', 'kafka.brokers', 'registry.url']);
const OFTEN_SET_TO_SERVE: ReadonlySet<string> = new Set([...OFTEN_SET, 'http.port', 'logger.level']);

const GROUP = 'Settings:';

/** Gives a command a flag per setting, and --config. */
export function withSettings(command: Command, { serves = false } = {}): Command {
  const shown = serves ? OFTEN_SET_TO_SERVE : OFTEN_SET;
  const file = '--config <file>';
  command.addOption(
    new Option(file, 'configuration in JSON5 (default: loopwarden.json5, if there)').helpGroup(GROUP),
  );
  for (const [key, setting] of Object.entries(settings)) {
    const { flag } = settingNames(key, setting);
    if (flag === null) continue;
    const option = new Option(`${flag} ${placeholder(setting)}`, setting.text);
    command.addOption(option.helpGroup(GROUP).hideHelp(!shown.has(key)));
  }
  return command.addHelpText(
    'after',
    '\nAll settings, with their flags and variables: loopwarden config show',
  );
}

function placeholder(setting: Setting): string {
  switch (setting.type) {
    case 'boolean':
      return '[true|false]';
    case 'enum':
      return `<${setting.values.join('|')}>`;
    case 'duration':
      return '<duration>';
    case 'integer':
      return '<number>';
    case 'list':
      return '<a,b,…>';
    default:
      return '<text>';
  }
}
