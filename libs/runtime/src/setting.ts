/** What the process was started with; handed in, so that nothing else reads the environment. */
export type Environment = Readonly<Record<string, string | undefined>>;

interface SettingOf<Type extends string, Value> {
  readonly type: Type;
  /** Null: not set unless given. */
  readonly default: Value | null;
  /** One line for `config show` and the manual. */
  readonly text: string;
  /** A sentence that says what is wrong with a value of the right type, or null. */
  readonly check?: (value: Value) => string | null;
}

/** `default` may be found from the environment (folders). */
type StringSetting = Omit<SettingOf<'string', string>, 'default'> & {
  readonly default: string | null | ((environment: Environment) => string);
};
type IntegerSetting = SettingOf<'integer', number>;
type BooleanSetting = SettingOf<'boolean', boolean>;
/** Written with a unit (`250ms`, `30s`, `5m`, `24h`, `7d`), resolved to milliseconds. */
type DurationSetting = SettingOf<'duration', number>;
/** Written with a unit (`64KiB`, `16MB`, `1GiB`, `512B`), resolved to bytes. */
type SizeSetting = SettingOf<'size', number>;
/** A JSON list, or text parted by commas. */
type ListSetting = SettingOf<'list', readonly string[]>;
/** Never printed, and never a flag: the process list shows flags to everybody. */
type SecretSetting = SettingOf<'secret', string> & { readonly default: null };
type EnumSetting = SettingOf<'enum', string> & { readonly values: readonly string[] };

export type Setting =
  | StringSetting
  | IntegerSetting
  | BooleanSetting
  | DurationSetting
  | SizeSetting
  | ListSetting
  | SecretSetting
  | EnumSetting;

/** Settings by dotted key, which is also their path in the file. */
export type SettingsTable = Readonly<Record<string, Setting>>;

interface Values {
  readonly string: string;
  readonly integer: number;
  readonly boolean: boolean;
  readonly duration: number;
  readonly size: number;
  readonly list: readonly string[];
  readonly secret: string;
}

type Present<S extends Setting> = S extends { type: 'enum'; values: readonly (infer V)[] }
  ? V
  : S['type'] extends keyof Values
    ? Values[S['type']]
    : never;

type ValueOf<S extends Setting> = null extends S['default'] ? Present<S> | null : Present<S>;

type Head<Key extends string> = Key extends `${infer First}.${string}` ? First : Key;
type Tail<Key extends string, First extends string> = Key extends `${First}.${infer Rest}` ? Rest : never;

type Nested<Table extends SettingsTable, Prefix extends string, Key extends string> = {
  readonly [First in Head<Key>]: `${Prefix}${First}` extends keyof Table
    ? ValueOf<Table[`${Prefix}${First}`]>
    : Nested<Table, `${Prefix}${First}.`, Tail<Key, First>>;
};

/** The resolved configuration of a table: nested as the dotted keys say, `a.b` at `config.a.b`. */
export type ConfigOf<Table extends SettingsTable> = Nested<Table, '', keyof Table & string>;

/** Declares a table; keeps the literal types that the configuration's type is made from. */
export function settingsTable<const Table extends SettingsTable>(table: Table): Table {
  return table;
}

/** A check for numbers: at least `least` and at most `most`, in the setting's resolved unit. */
export function between(least: number, most: number): (value: number) => string | null {
  return (value) =>
    value >= least && value <= most ? null : `must lie between ${least} and ${most}, and is ${value}.`;
}

/** What a setting is called in each source. */
export interface SettingNames {
  /** `LOOPWARDEN_KAFKA_BROKERS` */
  readonly environment: string;
  /** `--kafka-brokers`; null for secrets. */
  readonly flag: string | null;
  /** The name under which a parser of flags hands the value over: `kafkaBrokers`. */
  readonly option: string;
}

/** Derives a setting's names from its key, so that one name is enough to know all three. */
export function settingNames(key: string, setting: Setting): SettingNames {
  const words = key.split(/\.|(?=[A-Z])/).map((word) => word.toLowerCase());
  const capitals = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return {
    environment: `LOOPWARDEN_${words.join('_').toUpperCase()}`,
    flag: setting.type === 'secret' ? null : `--${words.join('-')}`,
    option: capitals.charAt(0).toLowerCase() + capitals.slice(1),
  };
}
