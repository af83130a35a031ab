import { isPlainObject, type PlainObject } from './plain-object.ts';
import { isPositiveInteger } from './policy-defaults.ts';
import { type Issue, unknownKeys, wrongValue } from './policy-issue.ts';

const SWITCHES = ['enabled', 'observe'];
const COUNTS = [
  'historySize',
  'warningThreshold',
  'unknownToolThreshold',
  'criticalThreshold',
  'globalCircuitBreakerThreshold',
];
const DETECTORS = ['genericRepeat', 'knownPollNoProgress', 'pingPong'];

/** Every key of a `loopDetection` block. */
export const BLOCK_KEYS: readonly string[] = [...SWITCHES, ...COUNTS, 'detectors', 'postCompactionGuard'];

/** Everything wrong with one `loopDetection` block. The order of thresholds is looked at when nothing else is. */
export function checkBlock(block: unknown, path: string): Issue[] {
  if (!isPlainObject(block)) return [wrongValue(path, 'an object')];
  const issues = [
    ...unknownKeys(path, block, BLOCK_KEYS),
    ...SWITCHES.flatMap((key) => checkSwitch(block, key, path)),
    ...COUNTS.flatMap((key) => checkCount(block, key, path)),
    ...checkNested(block, path, { key: 'detectors', known: DETECTORS, check: checkSwitch }),
    ...checkNested(block, path, { key: 'postCompactionGuard', known: ['windowSize'], check: checkCount }),
  ];
  return issues.length > 0 ? issues : checkOrder(block, path);
}

type FieldCheck = (owner: PlainObject, key: string, path: string) => Issue[];

/** A value that is there must be a boolean; null is not "unset". */
const checkSwitch: FieldCheck = (owner, key, path) => {
  const value = owner[key];
  return value === undefined || typeof value === 'boolean'
    ? []
    : [wrongValue(`${path}.${key}`, 'true or false, or left out')];
};

const checkCount: FieldCheck = (owner, key, path) => {
  const value = owner[key];
  return value === undefined || isPositiveInteger(value)
    ? []
    : [wrongValue(`${path}.${key}`, 'a whole number of at least 1, or left out')];
};

interface Nested {
  readonly key: string;
  readonly known: readonly string[];
  readonly check: FieldCheck;
}

function checkNested(block: PlainObject, path: string, { key, known, check }: Nested): Issue[] {
  const nested = block[key];
  const where = `${path}.${key}`;
  if (nested === undefined) return [];
  if (!isPlainObject(nested)) return [wrongValue(where, 'an object, or left out')];
  return [...unknownKeys(where, nested, known), ...known.flatMap((field) => check(nested, field, where))];
}

/** Each pair is compared only when both are set in this block: defaults and other blocks are never looked at. */
function checkOrder(block: PlainObject, path: string): Issue[] {
  return [
    ...checkPair(block, path, ['warningThreshold', 'criticalThreshold']),
    ...checkPair(block, path, ['criticalThreshold', 'globalCircuitBreakerThreshold']),
  ];
}

function checkPair(block: PlainObject, path: string, [lower, higher]: readonly [string, string]): Issue[] {
  const low = block[lower];
  const high = block[higher];
  if (typeof low !== 'number' || typeof high !== 'number' || low < high) return [];
  const message = `${path}.${higher} (${high}) must be above ${lower} (${low}).`;
  return [{ path: `${path}.${higher}`, kind: 'order', message }];
}
