import { type AvroRecord, current, type RecordName } from '@loopwarden/schemas';
import { type Cursor, cursorAt, faultOf, moveTo } from './cursor.ts';
import { type Decoded, type Refused, refused } from './decoded.ts';
import type { Family } from './family.ts';
import { HEADER_BYTES, idAt, MAX_VALUE_BYTES } from './frame.ts';
import { createNames } from './names.ts';
import { prepareUpcast, recordNameOf, type Upcast } from './upcast.ts';

/** How the values of one writer's schema are read, found out once. */
interface Plan<T> {
  readonly read: (cursor: Cursor) => T;
  /** Null: the writer's schema is ours. */
  readonly upcast: Upcast | null;
}

/** Framed bytes of one topic to values. Never throws, whatever the bytes. */
export function createDecoder<T>(
  family: Family<T>,
  schemas: ReadonlyMap<number, unknown>,
): (value: Uint8Array) => Decoded<T> {
  const plans = new Map<number, Plan<T> | Refused>();
  const cursor = cursorAt(Buffer.alloc(0), 0, createNames());

  return (value) => {
    const fault = frameFault(value);
    if (fault !== null) return fault;
    const bytes = Buffer.isBuffer(value) ? value : Buffer.from(value.buffer, value.byteOffset, value.length);
    const id = idAt(bytes, 1);
    let plan = plans.get(id);
    if (plan === undefined) {
      const schema = schemas.get(id);
      if (schema === undefined) return refused('unknown_schema', `no schema of the id ${id} is known`);
      plan = planFor(family, schema);
      plans.set(id, plan);
    }
    if ('ok' in plan) return plan;
    if (plan.upcast === null) return readAs(family, plan, moveTo(cursor, bytes, HEADER_BYTES));
    const upcasted = plan.upcast(bytes.subarray(HEADER_BYTES));
    if ('fault' in upcasted) return refused('malformed', upcasted.fault);
    return readAs(family, plan, moveTo(cursor, upcasted.body, 0));
  };
}

function frameFault(value: Uint8Array): Refused | null {
  if (value.length > MAX_VALUE_BYTES) {
    return refused('too_large', `the value has ${value.length} bytes, more than ${MAX_VALUE_BYTES}`);
  }
  if (value.length <= HEADER_BYTES) {
    return refused('too_short', `the value has ${value.length} bytes, too few for a frame and a body`);
  }
  return value[0] === 0 ? null : refused('bad_magic', `the value begins with ${value[0]}, not with 0`);
}

function planFor<T>(family: Family<T>, schema: unknown): Plan<T> | Refused {
  const record = recordNameOf(schema);
  const read = family.readers[record as RecordName];
  if (read === undefined) return headPlan(family, schema, record ?? 'a schema that is no record');
  const ours = current[record as RecordName].schema;
  if (schema === ours) return { read, upcast: null };
  const prepared = prepareUpcast(schema, ours);
  if (prepared.ok) return { read, upcast: prepared.upcast };
  return refused('incompatible_schema', `${record}: ${prepared.detail}`);
}

/** Of a type that is not known, what stands first is read if it is there. */
function headPlan<T>({ head }: Family<T>, schema: unknown, record: string): Plan<T> | Refused {
  const prepared = head === null ? null : prepareUpcast(schema, headSchema(record, head.fields));
  if (head !== null && prepared?.ok) return { read: head.read, upcast: prepared.upcast };
  return refused('unknown_type', `${record} does not belong into this topic`);
}

function headSchema(record: string, fields: AvroRecord['fields']): AvroRecord {
  return { type: 'record', name: record, fields };
}

function readAs<T>(family: Family<T>, plan: Plan<T>, cursor: Cursor): Decoded<T> {
  const start = cursor.pos;
  let value = plan.read(cursor);
  const fault = faultOf(cursor);
  if (fault !== null) return refused('malformed', fault);
  if (cursor.unknown !== null && family.head !== null) {
    value = family.head.read(moveTo(cursor, cursor.bytes, start));
  }
  const breach = family.breachOf(value);
  return breach === null ? { ok: true, value } : refused(breach.code, breach.detail);
}
