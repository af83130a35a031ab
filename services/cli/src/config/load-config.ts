import { existsSync } from 'node:fs';
import { type ConfigOrigins, readConfigFile, resolveConfig } from '@loopwarden/runtime';
import { type Outcome, refuse, succeed } from '../user-error.ts';
import { type Config, type Purpose, relationsFor, settings } from './settings.ts';

/** Read from the working directory where no other file is named. */
const DEFAULT_FILE = 'loopwarden.json5';

/** What the parser of flags hands over, by option name. */
export type Options = Readonly<Record<string, unknown>>;

export interface LoadedConfig {
  readonly config: Config;
  readonly origins: ConfigOrigins;
  /** The file that was read; null: there is none. */
  readonly file: string | null;
}

/** The configuration of a command: file, then environment, then flags. Every fault is named at once. */
export function loadConfig(
  options: Options,
  purpose: Purpose,
  environment: NodeJS.ProcessEnv = process.env,
): Outcome<LoadedConfig> {
  const file = fileOf(options);
  const read = file === null ? null : readConfigFile(file);
  if (read?.ok === false) return refuse('bad_config', read.fault.sentence);
  const sources = { environment, flags: options, ...(read === null ? {} : { file: read.file }) };
  const resolved = resolveConfig(settings, sources, relationsFor(purpose));
  if (resolved.ok) return succeed({ config: resolved.config, origins: resolved.origins, file });
  const sentences = resolved.faults.map(({ sentence }) => sentence);
  return refuse('bad_config', sentences.join('\n  '));
}

/** The file named with --config, else the default one if it exists. */
function fileOf({ config }: Options): string | null {
  if (typeof config === 'string') return config;
  return existsSync(DEFAULT_FILE) ? DEFAULT_FILE : null;
}
