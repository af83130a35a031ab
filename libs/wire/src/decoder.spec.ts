import { current, embeddedIdOf, type RecordName } from '@loopwarden/schemas';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { avroForm, avroType } from '../../../test/wire/avro-form.ts';
import { toolResult, verdict } from '../../../test/wire/values.ts';
import { type Codec, createEmbeddedCodec } from './codec.ts';

const NEW_ID = 1000;
const COMMON = {
  runId: 'run',
  agentId: 'agent',
  sessionId: null,
  gatewayId: 'gw',
  source: 'gw-1',
  sequence: 7,
  observedAt: 5,
};
const RUN_END = { ...COMMON, type: 'run_end', status: 'completed', verdict: null } as const;

interface Field {
  readonly name: string;
  readonly type: unknown;
  readonly default?: unknown;
}
type Change = (fields: readonly Field[]) => readonly Field[];

const schemaOf = (record: RecordName) => current[record].schema;
const commonFields = schemaOf('loopwarden.events.Attach').fields;
/** A schema of a record with other fields: what a writer of another version has. */
const changed = (record: RecordName, change: Change) => ({
  ...schemaOf(record),
  fields: change(schemaOf(record).fields),
});
const plus =
  (...more: Field[]): Change =>
  (fields) => [...fields, ...more];
const minus =
  (name: string): Change =>
  (fields) =>
    fields.filter((field) => field.name !== name);
/** Gives the enums of a schema one symbol more. */
const withSymbol = (schema: unknown, symbol: string): object =>
  JSON.parse(JSON.stringify(schema).replaceAll('"UNKNOWN",', `"UNKNOWN","${symbol}",`));

function framed(id: number, body: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(id, 1);
  return Buffer.concat([head, body]);
}

/** A codec that knows a writer's schema, and a value in that writer's bytes. */
function foreign(schema: object, value: object): { codec: Codec; bytes: Buffer } {
  const codec = createEmbeddedCodec();
  codec.addSchema(NEW_ID, schema);
  const type = avroType(schema);
  return { codec, bytes: framed(NEW_ID, type.toBuffer(avroForm(type, value))) };
}

function decodeForeign(schema: object, value: object) {
  const { codec, bytes } = foreign(schema, value);
  return codec.decodeEvent(bytes);
}

describe('other versions of a record', () => {
  it('are read without the fields that were added since', () => {
    const newer = changed(
      'loopwarden.events.ToolResult',
      plus({ name: 'tags', type: { type: 'map', values: { type: 'array', items: 'string' } }, default: {} }),
    );
    fc.assert(
      fc.property(toolResult, (value) => {
        const tags = { one: ['x', 'y'], two: [] };
        expect(decodeForeign(newer, { ...value, tags })).toEqual({ ok: true, value });
      }),
      { numRuns: 20 },
    );
  });

  it('are read with the default of a field that they lack', () => {
    const older = changed('loopwarden.events.Compaction', minus('retry'));
    const value = { ...COMMON, type: 'compaction', retry: true };
    expect(decodeForeign(older, COMMON)).toEqual({ ok: true, value });
  });

  it('are refused if a field changed its type', () => {
    const other = changed('loopwarden.events.Attach', (fields) =>
      fields.map((field) => (field.name === 'sequence' ? { ...field, type: 'string' } : field)),
    );
    expect(decodeForeign(other, { ...COMMON, sequence: '7' })).toMatchObject({ code: 'incompatible_schema' });
  });

  it('are read by the names of their fields, in whatever order', () => {
    const turned = changed('loopwarden.events.RunEnd', (fields) => fields.toReversed());
    expect(decodeForeign(turned, RUN_END)).toEqual({ ok: true, value: RUN_END });
  });
});

describe('what a later version adds is counted, not lost', () => {
  const unknown = { ok: true, value: { ...COMMON, type: 'unknown' } };

  it.each([
    [
      'more fields',
      [{ name: 'load', type: { type: 'array', items: ['null', 'double'] } }],
      { load: [1, null] },
    ],
    ['no more fields', [], {}],
  ])('a type with %s', (_, fields, more) => {
    const schema = { type: 'record', name: 'loopwarden.events.Pulse', fields: [...commonFields, ...fields] };
    expect(decodeForeign(schema, { ...COMMON, ...more })).toEqual(unknown);
  });

  it('an outcome', () => {
    const schema = withSymbol(schemaOf('loopwarden.events.ToolResult'), 'CACHED');
    const [value] = fc.sample(toolResult, 1);
    expect(decodeForeign(schema, { ...value, ...COMMON, outcome: 'cached' })).toEqual(unknown);
  });

  it('but the status of an end does not matter: the run is over', () => {
    const schema = withSymbol(schemaOf('loopwarden.events.RunEnd'), 'PAUSED');
    const value = { ...RUN_END, status: 'unknown' };
    expect(decodeForeign(schema, { ...RUN_END, status: 'paused' })).toEqual({ ok: true, value });
  });

  it('an action: of the verdict its number is left', () => {
    fc.assert(
      fc.property(verdict, (value) => {
        const schema = withSymbol(schemaOf('loopwarden.control.Verdict'), 'PAUSE');
        const { codec, bytes } = foreign(schema, { ...value, action: 'pause' });
        const { runId, agentId, sessionId, gatewayId, epoch, sequence } = value;
        const head = { runId, agentId, sessionId, gatewayId, epoch, sequence };
        expect(codec.decodeControl(bytes)).toEqual({ ok: true, value: { type: 'unknown', head } });
      }),
      { numRuns: 20 },
    );
  });

  it('but a release stays one whatever its reason', () => {
    fc.assert(
      fc.property(verdict, (value) => {
        const schema = withSymbol(schemaOf('loopwarden.control.Verdict'), 'TIDIED');
        const { codec, bytes } = foreign(schema, { ...value, action: 'release', reason: 'tidied' });
        const read = { ...value, action: 'release', reason: null };
        expect(codec.decodeControl(bytes)).toEqual({ ok: true, value: { type: 'verdict', verdict: read } });
      }),
      { numRuns: 20 },
    );
  });

  it('and keeps the rules all the same', () => {
    const schema = { type: 'record', name: 'loopwarden.events.Pulse', fields: commonFields };
    expect(decodeForeign(schema, { ...COMMON, sequence: 0 })).toMatchObject({ code: 'bad_sequence' });
  });
});

describe('refused with a code', () => {
  const codec = createEmbeddedCodec();
  const bytes = codec.encodeEvent(RUN_END);
  const edited = (at: number, byte: number) => Uint8Array.from(bytes).with(at, byte);

  it.each([
    ['nothing at all', new Uint8Array(), 'too_short'],
    ['a frame without a body', bytes.subarray(0, 5), 'too_short'],
    ['another magic byte', edited(0, 1), 'bad_magic'],
    ['JSON', Buffer.from(JSON.stringify(RUN_END)), 'bad_magic'],
    ['more than 1 MiB', Buffer.concat([bytes, Buffer.alloc(1024 * 1024)]), 'too_large'],
    ['a schema that is not known', framed(NEW_ID, bytes.subarray(5)), 'unknown_schema'],
    ['a body that ends early', bytes.subarray(0, -1), 'malformed'],
    ['bytes behind the body', Buffer.concat([bytes, Buffer.of(0)]), 'malformed'],
    ['a union branch that does not exist', edited(10, 4), 'malformed'],
    ['an enum symbol that does not exist', edited(bytes.length - 2, 20), 'malformed'],
    ['a record of another topic', codec.encodeMark({ partition: 0, offset: 0, end: 0 }), 'unknown_type'],
  ])('%s', (_, value, code) => {
    expect(codec.decodeEvent(value)).toMatchObject({ ok: false, code });
  });

  it.each([
    ['no record', { type: 'array', items: 'string' }, 'unknown_type'],
    ['a type without what all events have', { type: 'record', name: 'x.Other', fields: [] }, 'unknown_type'],
    ['no Avro', { type: 'record', name: 'loopwarden.events.RunEnd', fields: [{}] }, 'incompatible_schema'],
  ])('a value whose schema is %s', (_, schema, code) => {
    const fresh = createEmbeddedCodec();
    fresh.addSchema(NEW_ID, schema);
    expect(fresh.decodeEvent(framed(NEW_ID, bytes.subarray(5)))).toMatchObject({ ok: false, code });
  });
});

describe('schemas of other writers', () => {
  it('can be made known after a value came', () => {
    const codec = createEmbeddedCodec();
    const bytes = framed(NEW_ID, codec.encodeEvent(RUN_END).subarray(5));
    expect([codec.knows(NEW_ID), codec.decodeEvent(bytes).ok]).toEqual([false, false]);
    codec.addSchema(NEW_ID, JSON.parse(JSON.stringify(schemaOf('loopwarden.events.RunEnd'))));
    expect([codec.knows(NEW_ID), codec.decodeEvent(bytes)]).toEqual([true, { ok: true, value: RUN_END }]);
  });

  it('never change under an id', () => {
    const codec = createEmbeddedCodec();
    codec.addSchema(embeddedIdOf['loopwarden.events.RunEnd'], { type: 'string' });
    expect(codec.decodeEvent(codec.encodeEvent(RUN_END))).toEqual({ ok: true, value: RUN_END });
  });
});

it('reads a value that is a part of a larger buffer', () => {
  const codec = createEmbeddedCodec();
  const bytes = codec.encodeEvent(RUN_END);
  const larger = new Uint8Array(bytes.length + 20).fill(255);
  larger.set(bytes, 11);
  expect(codec.decodeEvent(larger.subarray(11, 11 + bytes.length))).toEqual({ ok: true, value: RUN_END });
});
