import { BLOCK_KEYS, checkBlock } from './block-check.ts';
import { readDuration } from './duration.ts';
import { isPlainObject, type PlainObject } from './plain-object.ts';
import { SHORTEST_IDLE_MS } from './policy-defaults.ts';
import { MAX_AGENTS } from './policy-document.ts';
import { hintsOf } from './policy-hints.ts';
import { type Hint, type Issue, unknownKeys, wrongValue } from './policy-issue.ts';
import { checkProfiles } from './profiles-check.ts';

/** How long events and verdicts are kept: seven days. */
const DEFAULT_RETENTION_MS = 604_800_000;

export interface PolicyCheck {
  /** Every reason to refuse the policy; none: it is accepted. */
  readonly issues: readonly Issue[];
  /** What is allowed but hardly meant; only looked for in a policy without issues. */
  readonly hints: readonly Hint[];
}

/**
 * Everything wrong with a policy document, at once. An OpenClaw configuration may be checked whole: keys of
 * its own are not looked at, except where one looks like a misplaced or misspelt part of the policy.
 */
export function checkPolicy(document: unknown, retentionMs: number = DEFAULT_RETENTION_MS): PolicyCheck {
  if (!isPlainObject(document)) return { issues: [wrongValue('', 'an object')], hints: [] };
  const issues = [
    ...misplacedKeys(document, '', { home: 'tools.loopDetection', spelt: ['tools', 'agents', 'loopwarden'] }),
    ...checkTools(document.tools, 'tools'),
    ...checkAgents(document.agents),
    ...checkLoopwarden(document.loopwarden, retentionMs),
  ];
  return { issues, hints: issues.length > 0 ? [] : hintsOf(document) };
}

function checkTools(value: unknown, path: string): Issue[] {
  if (value === undefined) return [];
  if (!isPlainObject(value)) return [wrongValue(path, 'an object, or left out')];
  const block = value.loopDetection;
  return [
    ...misplacedKeys(value, path, { home: `${path}.loopDetection`, spelt: ['loopDetection'] }),
    ...(block === undefined ? [] : checkBlock(block, `${path}.loopDetection`)),
  ];
}

function checkAgents(agents: unknown): Issue[] {
  if (agents === undefined) return [];
  if (!isPlainObject(agents)) return [wrongValue('agents', 'an object, or left out')];
  const { list } = agents;
  if (list === undefined) return [];
  if (!Array.isArray(list)) return [wrongValue('agents.list', 'a list, or left out')];
  if (list.length > MAX_AGENTS) return [wrongValue('agents.list', `a list of at most ${MAX_AGENTS} agents`)];
  return list.flatMap((entry: unknown, index) => checkAgent(entry, `agents.list.${index}`));
}

function checkAgent(entry: unknown, path: string): Issue[] {
  if (!isPlainObject(entry)) return [wrongValue(path, 'an object')];
  const { id, tools } = entry;
  const named = typeof id === 'string' && id.trim() !== '';
  const misplaced = misplacedKeys(entry, path, { home: `${path}.tools.loopDetection`, spelt: ['tools'] });
  if (tools === undefined) return misplaced;
  return [
    ...misplaced,
    ...(named ? [] : [wrongValue(`${path}.id`, 'a text: without it the agent is never found')]),
    ...checkTools(tools, `${path}.tools`),
  ];
}

function checkLoopwarden(value: unknown, retentionMs: number): Issue[] {
  if (value === undefined) return [];
  if (!isPlainObject(value)) return [wrongValue('loopwarden', 'an object, or left out')];
  const { profiles, idle, enforce } = value;
  return [
    ...unknownKeys('loopwarden', value, ['profiles', 'idle', 'enforce']),
    ...(profiles === undefined ? [] : checkProfiles(profiles, 'loopwarden.profiles')),
    ...(idle === undefined ? [] : checkIdle(idle, retentionMs)),
    ...(enforce === undefined || typeof enforce === 'boolean'
      ? []
      : [wrongValue('loopwarden.enforce', 'true or false, or left out')]),
  ];
}

function checkIdle(idle: unknown, retentionMs: number): Issue[] {
  const path = 'loopwarden.idle';
  const duration = readDuration(idle);
  if (duration === null) return [wrongValue(path, 'milliseconds, or text like "90s", "30m", "24h" or "1d"')];
  if (duration <= SHORTEST_IDLE_MS) return [wrongValue(path, 'longer than a minute')];
  // A longer horizon would need events that the log no longer has.
  return duration < retentionMs
    ? []
    : [wrongValue(path, `below the ${retentionMs / 3_600_000} hours that events are kept`)];
}

/** Keys that OpenClaw does not know there and that would silently have no effect. */
function misplacedKeys(
  value: PlainObject,
  path: string,
  { home, spelt }: { readonly home: string; readonly spelt: readonly string[] },
): Issue[] {
  const strays = [...BLOCK_KEYS, 'loopDetection'].filter(
    (key) => !spelt.includes(key) && Object.hasOwn(value, key),
  );
  const misspelt = Object.keys(value).filter(
    (key) => !spelt.includes(key) && spelt.some((name) => isVariant(key, name)),
  );
  const keys = [...new Set([...strays, ...misspelt])];
  if (keys.length === 0) return [];
  const named = keys.map((key) => `"${key}"`).join(', ');
  const message = `${named} has no effect ${path === '' ? 'at the top' : `in ${path}`}: loop detection is set in ${home}, spelt exactly so.`;
  return [{ path, kind: 'unknown_key', keys, message }];
}

function isVariant(key: string, name: string): boolean {
  return key.toLowerCase().replaceAll(/[-_ ]/g, '') === name.toLowerCase();
}
