import type { Setting } from './setting.ts';

export type SettingValue = string | number | boolean | readonly string[] | null;

type Parsed =
  | { readonly ok: true; readonly value: SettingValue }
  | { readonly ok: false; readonly sentence: string };

const DURATIONS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

const SIZES: Readonly<Record<string, number>> = {
  B: 1,
  kB: 1000,
  MB: 1000 ** 2,
  GB: 1000 ** 3,
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
};

/**
 * Reads one given value: text from the environment and from flags, any JSON value from a file. The sentence
 * of a failure continues after the setting's path and never repeats a secret.
 */
export function parseSetting(setting: Setting, raw: unknown): Parsed {
  const parsed = parseType(setting, raw);
  if (!parsed.ok) return parsed;
  const check = setting.check as ((value: SettingValue) => string | null) | undefined;
  const sentence = check?.(parsed.value) ?? null;
  return sentence === null ? parsed : refused(sentence);
}

function parseType(setting: Setting, raw: unknown): Parsed {
  switch (setting.type) {
    case 'string':
      return nonEmpty(raw, `must be text, and is ${shown(raw)}.`);
    case 'secret':
      return nonEmpty(raw, 'must be text.');
    case 'integer':
      return integer(raw);
    case 'boolean':
      return boolean(raw);
    case 'duration':
      return measure(raw, DURATIONS, 'a duration with its unit, such as 250ms, 30s, 5m, 24h or 7d');
    case 'size':
      return measure(raw, SIZES, 'a size with its unit, such as 512B, 64KiB, 16MB or 1GiB');
    case 'list':
      return list(raw);
    case 'enum':
      return oneOf(raw, setting.values);
  }
}

function accepted(value: SettingValue): Parsed {
  return { ok: true, value };
}

function refused(sentence: string): Parsed {
  return { ok: false, sentence };
}

function nonEmpty(raw: unknown, sentence: string): Parsed {
  return typeof raw === 'string' && raw.trim() !== '' ? accepted(raw) : refused(sentence);
}

function integer(raw: unknown): Parsed {
  const value = typeof raw === 'string' && /^[+-]?\d+$/.test(raw.trim()) ? Number(raw) : raw;
  return typeof value === 'number' && Number.isSafeInteger(value)
    ? accepted(value)
    : refused(`must be a whole number, and is ${shown(raw)}.`);
}

const BOOLEANS: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  [true, true],
  ['true', true],
  [false, false],
  ['false', false],
]);

function boolean(raw: unknown): Parsed {
  const value = BOOLEANS.get(raw);
  return value === undefined ? refused(`must be true or false, and is ${shown(raw)}.`) : accepted(value);
}

function measure(raw: unknown, units: Readonly<Record<string, number>>, wanted: string): Parsed {
  const parts = typeof raw === 'string' ? /^(\d+)\s*([A-Za-z]+)$/.exec(raw.trim()) : null;
  const factor = units[parts?.[2] ?? ''];
  const value = Number(parts?.[1]) * (factor ?? Number.NaN);
  return Number.isSafeInteger(value) ? accepted(value) : refused(`must be ${wanted}, and is ${shown(raw)}.`);
}

function list(raw: unknown): Parsed {
  const items: unknown = typeof raw === 'string' ? raw.split(',') : raw;
  if (!Array.isArray(items)) return refused(`must be a list of texts, and is ${shown(raw)}.`);
  const texts = items.map((item) => (typeof item === 'string' ? item.trim() : ''));
  return texts.includes('')
    ? refused(`must be a list of texts without empty ones, and is ${shown(raw)}.`)
    : accepted(texts);
}

function oneOf(raw: unknown, values: readonly string[]): Parsed {
  return typeof raw === 'string' && values.includes(raw)
    ? accepted(raw)
    : refused(`must be one of ${values.join(', ')}, and is ${shown(raw)}.`);
}

/** A given value for people, short enough for a line. */
function shown(raw: unknown): string {
  const text = JSON.stringify(raw) ?? String(raw);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
