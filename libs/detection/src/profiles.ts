import { isPlainObject } from './plain-object.ts';
import { SHIPPED_ALIASES, SHIPPED_PROFILES_BY_TOOL, SHIPPED_VERSION } from './shipped-profiles.ts';
import { type Calls, PLAIN_PROFILE, type ToolProfile } from './tool-profile.ts';

/** The table of tool profiles that digests are made with. */
export interface Profiles {
  /** Stands in every event and verdict: digests of two versions need not compare. */
  readonly version: string;
  readonly aliases: ReadonlyMap<string, string>;
  readonly tools: ReadonlyMap<string, ToolProfile>;
}

export const SHIPPED_PROFILES: Profiles = {
  version: SHIPPED_VERSION,
  aliases: SHIPPED_ALIASES,
  tools: SHIPPED_PROFILES_BY_TOOL,
};

/**
 * The shipped table with the user's own entries over it; an entry takes the place of a shipped one of the same
 * name. Takes the `loopwarden.profiles` of a policy as it stands: what is malformed there is left out.
 */
export function compileProfiles(table: unknown): Profiles {
  if (!isPlainObject(table)) return SHIPPED_PROFILES;
  const aliases = new Map(SHIPPED_ALIASES);
  for (const [from, to] of entriesOf(table.aliases)) {
    if (typeof to === 'string') aliases.set(plainName(from), plainName(to));
  }
  const tools = new Map(SHIPPED_PROFILES_BY_TOOL);
  for (const [name, entry] of entriesOf(table.tools)) {
    if (isPlainObject(entry)) tools.set(plainName(name), compileProfile(entry));
  }
  const version = typeof table.version === 'string' ? table.version : 'unversioned';
  return { version: `${SHIPPED_VERSION}+${version}`, aliases, tools };
}

/** The one name of a tool: trimmed, lower case, aliases followed one step; an empty name is `tool`. */
export function normaliseTool(raw: string, profiles: Profiles): string {
  const name = plainName(raw);
  return profiles.aliases.get(name) ?? (name || 'tool');
}

/** The profile of a tool by its normalised name. */
export function profileOf(tool: string, profiles: Profiles): ToolProfile {
  return profiles.tools.get(tool) ?? PLAIN_PROFILE;
}

/** A tool name without blanks around it, in lower case; aliases are not looked at. */
export function plainName(raw: string): string {
  return raw.trim().toLowerCase();
}

function compileProfile(entry: Readonly<Record<string, unknown>>): ToolProfile {
  const volatile = Array.isArray(entry.volatile) ? entry.volatile.filter(isString) : [];
  return {
    ...PLAIN_PROFILE,
    polls: compileCalls(entry.poll),
    sends: compileCalls(entry.send),
    volatile: new Set(volatile),
    ignoreText: entry.ignoreText === true,
  };
}

function compileCalls(rule: unknown): Calls {
  if (rule === true) return 'all';
  if (!isPlainObject(rule) || typeof rule.field !== 'string' || !Array.isArray(rule.values)) return 'none';
  return { field: rule.field, values: new Set(rule.values.filter(isString)) };
}

function entriesOf(value: unknown): [string, unknown][] {
  return isPlainObject(value) ? Object.entries(value) : [];
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}
