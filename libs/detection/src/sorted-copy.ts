/** Says which fields of an object leave no trace in the canonical form. */
export type Omits = (key: string, owner: object) => boolean;

/** Stands for a value that JSON does not write as the canonical form does. */
export const NOT_PLAIN = Symbol('not plain');

/** Bounds within which a value is copied: levels of nesting, and values in all. */
interface Bounds {
  readonly depth: number;
  readonly values: number;
}

interface Walk {
  readonly omits: Omits | null;
  /** Levels of nesting, and values, that may still come. */
  depth: number;
  values: number;
}

/**
 * A value of which JSON makes the canonical form: every object has its keys in order. What is in order already is
 * not copied. Anything but plain JSON data within bounds is `NOT_PLAIN`; a cycle soon is too deep.
 */
export function sortedCopy(value: unknown, omits: Omits | null, bounds: Bounds): unknown {
  if ('toJSON' in Array.prototype || 'toJSON' in Object.prototype) return NOT_PLAIN;
  return copyOf(value, { omits, ...bounds });
}

function copyOf(value: unknown, walk: Walk): unknown {
  walk.values -= 1;
  if (walk.values < 0) return NOT_PLAIN;
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : NOT_PLAIN;
    case 'object':
      return value === null ? null : copyNested(value, walk);
    default:
      return NOT_PLAIN;
  }
}

function copyNested(value: object, walk: Walk): unknown {
  if (walk.depth === 0) return NOT_PLAIN;
  walk.depth -= 1;
  const copy = Array.isArray(value) ? copyElements(value, walk) : copyFields(value, walk);
  walk.depth += 1;
  return copy;
}

function copyElements(values: readonly unknown[], walk: Walk): unknown {
  if (Object.hasOwn(values, 'toJSON')) return NOT_PLAIN;
  const copies: unknown[] = [];
  let same = true;
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index];
    const copy = copyOf(value, walk);
    if (copy === NOT_PLAIN) return NOT_PLAIN;
    if (copy !== value) same = false;
    copies.push(copy);
  }
  return same ? values : copies;
}

function copyFields(owner: object, walk: Walk): unknown {
  const prototype = Object.getPrototypeOf(owner);
  const order = orderOf(Object.keys(owner));
  if (order === null || (prototype !== Object.prototype && prototype !== null)) return NOT_PLAIN;
  const copies: Record<string, unknown> = {};
  let same = order.inOrder;
  for (const key of order.sorted) {
    if (walk.omits?.(key, owner) === true) {
      same = false;
      continue;
    }
    const value = (owner as Readonly<Record<string, unknown>>)[key];
    const copy = copyOf(value, walk);
    if (copy === NOT_PLAIN) return NOT_PLAIN;
    if (copy !== value) same = false;
    copies[key] = copy;
  }
  return same ? owner : copies;
}

/** The order of one set of keys, as some object has them. */
interface Order {
  readonly keys: readonly string[];
  readonly sorted: readonly string[];
  readonly inOrder: boolean;
}

/** Rows, and the calls of one tool, have the same keys again and again. */
const KNOWN: Order[] = [];
const KNOWN_MAX = 64;
const KEYS_MAX = 32;

/** Null: an object with these keys has an order, or a meaning, of its own. */
function orderOf(keys: readonly string[]): Order | null {
  const [first = ''] = keys;
  const at = (keys.length * 7 + first.length * 3 + (keys.at(-1) ?? '').length) % KNOWN_MAX;
  const known = KNOWN[at];
  if (known !== undefined && isSame(known.keys, keys)) return known;
  if (keys.some((key) => /^\d|^__proto__$|^toJSON$/.test(key))) return null;
  // The default order compares UTF-16 code units.
  const sorted = keys.toSorted();
  const order = { keys, sorted, inOrder: isSame(keys, sorted) };
  if (keys.length <= KEYS_MAX) KNOWN[at] = order;
  return order;
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  if (some.length !== others.length) return false;
  for (let index = 0; index < some.length; index += 1) if (some[index] !== others[index]) return false;
  return true;
}
