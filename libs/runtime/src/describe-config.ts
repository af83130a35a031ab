import type { ConfigOrigins } from './config.ts';
import type { SettingValue } from './parse-setting.ts';
import { type ConfigOf, type SettingNames, type SettingsTable, settingNames } from './setting.ts';

/** One line of `loopwarden config show`. */
export interface DescribedSetting extends SettingNames {
  readonly key: string;
  /** As it would be written in the environment, secrets masked; null: not set. */
  readonly value: string | null;
  readonly origin: string;
  readonly text: string;
}

const MASK = '********';

/** The effective settings in the table's order, fit for a screen: no secret is ever part of it. */
export function describeConfig<Table extends SettingsTable>(
  table: Table,
  config: ConfigOf<Table>,
  origins: ConfigOrigins,
): readonly DescribedSetting[] {
  return Object.entries(table).map(([key, setting]) => {
    const value = valueAt(config, key);
    const printed = value === null ? null : printedValue(setting.type, value);
    const origin = origins[key] ?? 'default';
    return { key, value: printed, origin, text: setting.text, ...settingNames(key, setting) };
  });
}

function valueAt(config: unknown, key: string): SettingValue {
  let node = config;
  for (const word of key.split('.')) node = (node as Readonly<Record<string, unknown>>)[word];
  return node as SettingValue;
}

function printedValue(type: string, value: NonNullable<SettingValue>): string {
  if (type === 'secret') return MASK;
  if (type === 'duration') return `${value}ms`;
  if (type === 'size') return `${value}B`;
  return typeof value === 'object' ? value.join(',') : String(value);
}
