import { parseSetting, type SettingValue } from './parse-setting.ts';
import {
  type ConfigOf,
  type Environment,
  type Setting,
  type SettingsTable,
  settingNames,
} from './setting.ts';

/** What a configuration is made from. A flag beats the environment, which beats the file. */
export interface ConfigSources {
  /** The parsed configuration file; absent: no file. */
  readonly file?: unknown;
  readonly environment: Environment;
  /** Values by option name (`kafkaBrokers`); undefined and names of no setting are passed over. */
  readonly flags: Readonly<Record<string, unknown>>;
}

/** One thing to put right: where, and a sentence that starts with that place. */
export interface ConfigFault {
  /** Dotted key of the setting; of the file's own key when no setting has it. */
  readonly path: string;
  readonly sentence: string;
}

/** Where a value came from, as people would name it: `default`, `file`, `LOOPWARDEN_LOG`, `--log`. */
export type ConfigOrigins = Readonly<Record<string, string>>;

export type ConfigResult<Config> =
  | { readonly ok: true; readonly config: Config; readonly origins: ConfigOrigins }
  | { readonly ok: false; readonly faults: readonly ConfigFault[] };

/** What must hold between settings: path and the rest of a sentence, or null. */
export type Relation<Config> = (config: Config) => ConfigFault | null;

/** A fault whose sentence starts with the path. */
export function fault(path: string, rest: string): ConfigFault {
  return { path, sentence: `${path} ${rest}` };
}

/**
 * Resolves a table against its sources to a frozen configuration, or to every fault at once. Relations are
 * looked at also when settings are at fault (with their defaults), and say nothing of a path already named.
 */
export function resolveConfig<Table extends SettingsTable>(
  table: Table,
  sources: ConfigSources,
  relations: readonly Relation<ConfigOf<Table>>[] = [],
): ConfigResult<ConfigOf<Table>> {
  const file = flatten(table, sources.file);
  const faults = [...file.faults];
  const values: Record<string, SettingValue> = {};
  const origins: Record<string, string> = {};
  for (const [key, setting] of Object.entries(table)) {
    const given = givenValue({ key, setting }, file.values, sources);
    const parsed = given === null ? null : parseSetting(setting, given.raw);
    if (given !== null && parsed?.ok === false) faults.push(faultOf(key, given.origin, parsed.sentence));
    values[key] = parsed?.ok === true ? parsed.value : defaultOf(setting, sources.environment);
    origins[key] = given?.origin ?? 'default';
  }
  const config = nest(values) as ConfigOf<Table>;
  for (const relation of relations) {
    const broken = relation(config);
    if (broken !== null && !faults.some((known) => known.path === broken.path)) faults.push(broken);
  }
  return faults.length === 0 ? { ok: true, config, origins: Object.freeze(origins) } : { ok: false, faults };
}

function faultOf(key: string, origin: string, sentence: string): ConfigFault {
  return { path: key, sentence: `${key} (from ${origin}) ${sentence}` };
}

interface Given {
  readonly raw: unknown;
  readonly origin: string;
}

/** The strongest source that names the setting. An empty variable counts as not set. */
function givenValue(
  entry: { key: string; setting: Setting },
  file: ReadonlyMap<string, unknown>,
  sources: ConfigSources,
): Given | null {
  const names = settingNames(entry.key, entry.setting);
  const flag = names.flag === null ? undefined : sources.flags[names.option];
  if (flag !== undefined) return { raw: flag, origin: names.flag ?? '' };
  const variable = sources.environment[names.environment];
  if (variable !== undefined && variable !== '') return { raw: variable, origin: names.environment };
  return file.has(entry.key) ? { raw: file.get(entry.key), origin: 'file' } : null;
}

function defaultOf(setting: Setting, environment: Environment): SettingValue {
  return typeof setting.default === 'function' ? setting.default(environment) : setting.default;
}

interface Flat {
  readonly values: ReadonlyMap<string, unknown>;
  readonly faults: readonly ConfigFault[];
}

/** The file's values by dotted key; whatever no setting has is a fault, for a misspelt key must not be silent. */
function flatten(table: SettingsTable, file: unknown): Flat {
  const values = new Map<string, unknown>();
  const faults: ConfigFault[] = [];
  const groups = new Set(Object.keys(table).flatMap(groupsOf));
  const walk = (node: unknown, path: string): void => {
    if (Object.hasOwn(table, path)) values.set(path, node);
    else if (!groups.has(path)) faults.push(fault(path, 'is no setting: correct its name or remove it.'));
    else if (!isObject(node)) faults.push(fault(path || 'the file', 'must be an object of settings.'));
    else for (const [key, child] of Object.entries(node)) walk(child, path === '' ? key : `${path}.${key}`);
  };
  if (file !== undefined) walk(file, '');
  return { values, faults };
}

/** `a.b.c` → '', `a`, `a.b`. */
function groupsOf(key: string): string[] {
  const words = key.split('.');
  return words.map((_, index) => words.slice(0, index).join('.'));
}

function isObject(node: unknown): node is Readonly<Record<string, unknown>> {
  return typeof node === 'object' && node !== null && !Array.isArray(node);
}

type Tree = { [key: string]: SettingValue | Tree };

function nest(values: Readonly<Record<string, SettingValue>>): Tree {
  const root: Tree = {};
  for (const [key, value] of Object.entries(values)) {
    const words = key.split('.');
    const last = words.pop() ?? key;
    let node = root;
    for (const word of words) {
      const child = (node[word] ?? {}) as Tree;
      node[word] = child;
      node = child;
    }
    node[last] = Array.isArray(value) ? Object.freeze([...value]) : value;
  }
  return freezeTree(root);
}

function freezeTree(tree: Tree): Tree {
  for (const child of Object.values(tree)) if (isObject(child)) freezeTree(child);
  return Object.freeze(tree);
}
