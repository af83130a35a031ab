import avsc from 'avsc';

/** The type of a schema, for a codec that is not ours. */
export function avroType(schema: unknown): avsc.Type {
  return avsc.Type.forSchema(schema as avsc.Schema, { wrapUnions: 'never' });
}

/** A value of ours in the form that Avro has for it: enums in upper case, digests and bytes as buffers. */
export function avroForm(type: avsc.Type, value: unknown): unknown {
  switch (type.typeName) {
    case 'record':
      return recordForm(type as avsc.types.RecordType, value as Readonly<Record<string, unknown>>);
    case 'array':
      return (value as unknown[]).map((item) => avroForm((type as avsc.types.ArrayType).itemsType, item));
    case 'enum':
      return String(value).toUpperCase();
    case 'fixed':
      return Buffer.from(String(value), 'hex');
    case 'bytes':
      return Buffer.from(value as Uint8Array);
    case 'union:unwrapped':
      return value === null ? null : avroForm(branchOf(type as avsc.types.UnwrappedUnionType), value);
    default:
      return value;
  }
}

function recordForm(type: avsc.types.RecordType, value: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(
    type.fields.map((field) => [field.name, avroForm(field.type, value[field.name])]),
  );
}

/** Unions are of null and one other type. */
function branchOf({ types }: avsc.types.UnwrappedUnionType): avsc.Type {
  const [, branch] = types;
  if (branch === undefined) throw new Error('a union has only one branch');
  return branch;
}
