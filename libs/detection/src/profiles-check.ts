import { isPlainObject, type PlainObject } from './plain-object.ts';
import { type Issue, unknownKeys, wrongValue } from './policy-issue.ts';
import { plainName } from './profiles.ts';

const NAME = 'a tool name of 1 to 256 characters in lower case, without blanks around it';
const FIELDS = 'a list of 1 to 256 field names';

/** Everything wrong with a user's tool profiles. */
export function checkProfiles(table: unknown, path: string): Issue[] {
  if (!isPlainObject(table)) return [wrongValue(path, 'an object, or left out')];
  return [
    ...unknownKeys(path, table, ['version', 'aliases', 'tools']),
    ...checkVersion(table.version, `${path}.version`),
    ...checkAliases(table.aliases, `${path}.aliases`),
    ...checkEntries(table.tools, `${path}.tools`),
  ];
}

function checkVersion(version: unknown, path: string): Issue[] {
  return typeof version === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(version)
    ? []
    : [
        wrongValue(
          path,
          '1 to 64 letters, digits, ".", "_" or "-", and changed whenever the profiles change',
        ),
      ];
}

function checkAliases(aliases: unknown, path: string): Issue[] {
  if (aliases === undefined) return [];
  if (!isPlainObject(aliases)) return [wrongValue(path, 'an object from name to name')];
  return Object.entries(aliases).flatMap(([from, to]) => {
    const where = `${path}.${from}`;
    if (!isToolName(from) || !isToolName(to)) return [wrongValue(where, `${NAME}, on both sides`)];
    // Aliases are followed one step.
    return from === to || Object.hasOwn(aliases, to)
      ? [wrongValue(where, 'the name of a tool, not another alias')]
      : [];
  });
}

function checkEntries(tools: unknown, path: string): Issue[] {
  if (tools === undefined) return [];
  if (!isPlainObject(tools)) return [wrongValue(path, 'an object from tool name to profile')];
  return Object.entries(tools).flatMap(([name, entry]) => {
    const where = `${path}.${name}`;
    if (!isToolName(name)) return [wrongValue(where, `named by ${NAME}`)];
    return isPlainObject(entry) ? checkEntry(entry, where) : [wrongValue(where, 'an object')];
  });
}

function checkEntry(entry: PlainObject, path: string): Issue[] {
  const { volatile, ignoreText } = entry;
  return [
    ...unknownKeys(path, entry, ['poll', 'send', 'volatile', 'ignoreText']),
    ...checkCalls(entry.poll, `${path}.poll`),
    ...checkCalls(entry.send, `${path}.send`),
    ...(volatile === undefined || isNameList(volatile) ? [] : [wrongValue(`${path}.volatile`, FIELDS)]),
    ...(ignoreText === undefined || typeof ignoreText === 'boolean'
      ? []
      : [wrongValue(`${path}.ignoreText`, 'true or false, or left out')]),
  ];
}

function checkCalls(rule: unknown, path: string): Issue[] {
  if (rule === undefined || rule === true) return [];
  if (!isPlainObject(rule)) return [wrongValue(path, 'true, or an object with field and values')];
  return [
    ...unknownKeys(path, rule, ['field', 'values']),
    ...(typeof rule.field === 'string' && rule.field !== ''
      ? []
      : [wrongValue(`${path}.field`, 'the name of an argument')]),
    ...(isNameList(rule.values) ? [] : [wrongValue(`${path}.values`, 'a list of 1 to 256 texts')]),
  ];
}

function isNameList(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.length >= 1 &&
    value.length <= 256 &&
    value.every((item) => typeof item === 'string' && item !== '')
  );
}

function isToolName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= 256 && value === plainName(value);
}
