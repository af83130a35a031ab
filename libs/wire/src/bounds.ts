import type { Type, types } from 'avsc';
import { type Cursor, cursorAt, fail, faultOf, readBoolean, readLong } from './cursor.ts';
import { createNames } from './names.ts';

/** Deeper than any schema of ours; recursive schemas of others end here. */
const DEEPEST = 64;

/** No name is read here. */
const UNNAMED = createNames();

interface Walk {
  readonly cursor: Cursor;
  /** Items that may still be walked: arrays of items without bytes could claim any number. */
  items: number;
}

/**
 * What is wrong with a body of any schema; null: nothing. avsc trusts the counts it reads, so bodies are
 * walked before it is let at them: afterwards neither its time nor its memory exceeds the body's size.
 */
export function boundsFault(type: Type, body: Buffer): string | null {
  const cursor = cursorAt(body, 0, UNNAMED);
  walk({ cursor, items: body.length }, type, 0);
  return faultOf(cursor);
}

function walk(state: Walk, type: Type, depth: number): void {
  const { cursor } = state;
  if (depth > DEEPEST) fail(cursor, `the body is nested more than ${DEEPEST} deep`);
  if (cursor.pos > cursor.bytes.length) return;
  switch (type.typeName) {
    case 'record':
    case 'error':
      for (const field of (type as types.RecordType).fields) walk(state, field.type, depth + 1);
      return;
    case 'array':
      walkItems(state, [(type as types.ArrayType).itemsType], depth);
      return;
    case 'map':
      walkItems(state, [STRING, (type as types.MapType).valuesType], depth);
      return;
    case 'union:wrapped':
    case 'union:unwrapped':
      walkBranch(state, type as types.WrappedUnionType, depth);
      return;
    default:
      walkLeaf(cursor, type);
  }
}

/** All that a walk asks of the type of a map's keys. */
const STRING = { typeName: 'string' } as Type;

function walkItems(state: Walk, item: readonly Type[], depth: number): void {
  const { cursor } = state;
  for (let count = readLong(cursor); count !== 0; count = readLong(cursor)) {
    if (count < 0) {
      count = -count;
      readLong(cursor);
    }
    state.items -= count;
    if (state.items < 0) fail(cursor, 'an array or map is longer than the body');
    for (let index = 0; index < count && cursor.fault === null; index++) {
      for (const type of item) walk(state, type, depth + 1);
    }
  }
}

function walkBranch(state: Walk, type: types.WrappedUnionType, depth: number): void {
  const branch = type.types[readLong(state.cursor)];
  if (branch === undefined) fail(state.cursor, 'a union has no such branch');
  else walk(state, branch, depth + 1);
}

function walkLeaf(cursor: Cursor, type: Type): void {
  switch (type.typeName) {
    case 'null':
      return;
    case 'boolean':
      readBoolean(cursor);
      return;
    case 'int':
    case 'long':
    case 'enum':
      readLong(cursor);
      return;
    case 'string':
    case 'bytes':
      skip(cursor, readLong(cursor));
      return;
    case 'fixed':
      skip(cursor, (type as types.FixedType).size);
      return;
    default:
      skip(cursor, type.typeName === 'double' ? 8 : 4);
  }
}

function skip(cursor: Cursor, size: number): void {
  if (size < 0 || size > cursor.bytes.length - cursor.pos)
    fail(cursor, 'a length is beyond the end of the body');
  else cursor.pos += size;
}
