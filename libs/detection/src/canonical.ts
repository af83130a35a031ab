import type { Digest } from './event.ts';
import { NOT_PLAIN, type Omits, sortedCopy } from './sorted-copy.ts';

/** Hex digits of at least 128 bits over the UTF-8 bytes of a text: SHA-256, or an HMAC with a key. */
export type Hash = (text: string) => string;

/** Objects and arrays nested deeper than this are written as `DEEP`: a stack is finite, a model's output need not be. */
export const MAX_DEPTH = 512;
/** Values written at most; what follows is written as `LONG`. Bounds the work when one object is shared many times. */
export const MAX_VALUES = 200_000;

const CIRCULAR = '"[Circular]"';
const DEEP = '"[Deep]"';
const LONG = '"[Long]"';
const UNREADABLE = '"[Unreadable]"';

/** `path` holds the objects from the root to here, `left` how many values may still be written. */
interface Walk {
  readonly path: Set<object>;
  readonly omits: Omits | null;
  left: number;
}

/**
 * One text for one value, the same in every process and language: CANONICAL.md has the form and its vectors.
 * Takes any value and never throws: what cannot be read is written as a fixed stand-in.
 */
export function canonical(value: unknown, omits: Omits | null = null): string {
  return plainText(value, omits) ?? write(value, { path: new Set(), omits, left: MAX_VALUES });
}

/** The short way, for what most values are: JSON data. Null: the value is anything else. */
function plainText(value: unknown, omits: Omits | null): string | null {
  try {
    const copy = sortedCopy(value, omits, { depth: MAX_DEPTH, values: MAX_VALUES });
    return copy === NOT_PLAIN ? null : JSON.stringify(copy);
  } catch {
    return null; // a getter or a proxy that throws
  }
}

/** The first 128 bits of a hash, as 32 hex characters. */
export function digest(hash: Hash, text: string): Digest {
  return hash(text).slice(0, 32);
}

function write(value: unknown, walk: Walk): string {
  walk.left -= 1;
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'number':
      return Number.isFinite(value) ? JSON.stringify(value) : `"${value}"`;
    case 'bigint':
      return `"${value}"`;
    case 'boolean':
      return String(value);
    case 'undefined':
      return 'undefined';
    case 'object':
      return value === null ? 'null' : writeNested(value, walk);
    default:
      return 'null'; // functions and symbols
  }
}

function writeNested(value: object, walk: Walk): string {
  if (walk.path.has(value)) return CIRCULAR;
  if (walk.path.size >= MAX_DEPTH) return DEEP;
  walk.path.add(value);
  try {
    return writeContent(value, walk);
  } catch {
    return UNREADABLE; // a getter or a proxy that throws
  } finally {
    walk.path.delete(value);
  }
}

function writeContent(value: object, walk: Walk): string {
  if (Array.isArray(value)) return writeElements(value, walk);
  if (value instanceof Error) {
    const { message, name, stack } = value;
    return `{"message":${write(message, walk)},"name":${write(name, walk)},"stack":${write(stack, walk)}}`;
  }
  if (value instanceof Uint8Array) return `{"data":"${base64(value)}","type":"Uint8Array"}`;
  return writeFields(value, walk);
}

function writeElements(values: readonly unknown[], walk: Walk): string {
  const parts: string[] = [];
  for (let index = 0; index < values.length; index += 1) {
    if (walk.left <= 0) {
      parts.push(LONG);
      break;
    }
    parts.push(write(values[index], walk));
  }
  return `[${parts.join(',')}]`;
}

function writeFields(value: object, walk: Walk): string {
  const parts: string[] = [];
  // The default order compares UTF-16 code units.
  for (const key of Object.keys(value).sort()) {
    if (walk.omits?.(key, value)) continue;
    if (walk.left <= 0) {
      parts.push(LONG);
      break;
    }
    parts.push(`${JSON.stringify(key)}:${writeField(value, key, walk)}`);
  }
  return `{${parts.join(',')}}`;
}

function writeField(owner: object, key: string, walk: Walk): string {
  let value: unknown;
  try {
    value = Reflect.get(owner, key);
  } catch {
    return UNREADABLE;
  }
  return write(value, walk);
}

function base64(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}
