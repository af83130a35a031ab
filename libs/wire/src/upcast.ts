import type { AvroRecord } from '@loopwarden/schemas';
import avsc from 'avsc';
import { boundsFault } from './bounds.ts';

/** A body of ours, or what is wrong with the writer's. */
type Upcasted = { readonly body: Buffer } | { readonly fault: string };

/** Makes bodies of a writer's schema into bodies of ours: what is new gets its default, what we do not know is left out. */
export type Upcast = (body: Buffer) => Upcasted;

/** An upcast (null: the two schemas are the same), or why the writer's cannot be read as ours. */
type Prepared =
  | { readonly ok: true; readonly upcast: Upcast | null }
  | { readonly ok: false; readonly detail: string };

/** Prepares the way from a writer's schema to ours, once for all its values. */
export function prepareUpcast(writerSchema: unknown, ours: AvroRecord): Prepared {
  try {
    const writer = typeOf(writerSchema);
    const reader = typeOf(ours);
    if (reader.equals(writer)) return { ok: true, upcast: null };
    const resolver = reader.createResolver(writer);
    return { ok: true, upcast: (body) => resolve(body, { writer, reader, resolver }) };
  } catch (error) {
    // avsc says by an exception that a schema is none or that two do not fit.
    return { ok: false, detail: messageOf(error) };
  }
}

type Resolver = ReturnType<avsc.Type['createResolver']>;

function resolve(body: Buffer, way: { writer: avsc.Type; reader: avsc.Type; resolver: Resolver }): Upcasted {
  const fault = boundsFault(way.writer, body);
  if (fault !== null) return { fault };
  try {
    return { body: way.reader.toBuffer(way.reader.fromBuffer(body, way.resolver)) };
  } catch (error) {
    return { fault: messageOf(error) };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Unions are always wrapped and logical types left alone, so that what is read can be written again. */
function typeOf(schema: unknown): avsc.Type {
  return avsc.Type.forSchema(schema as avsc.Schema, { wrapUnions: 'always' });
}

/** Name with namespace of a record schema; null: it is none. */
export function recordNameOf(schema: unknown): string | null {
  if (typeof schema !== 'object' || schema === null) return null;
  const { type, name, namespace } = schema as Readonly<Record<string, unknown>>;
  if (type !== 'record' || typeof name !== 'string') return null;
  return typeof namespace === 'string' && !name.includes('.') ? `${namespace}.${name}` : name;
}
