import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { published } from './published.ts';
import { sampleFiles } from './samples.ts';

type Json = Readonly<Record<string, unknown>>;

/** Everything in a schema but what is written for people. */
function withoutDocs(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutDocs);
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).filter(([key]) => key !== 'doc');
  return Object.fromEntries(entries.map(([key, value]) => [key, withoutDocs(value)]));
}

function fingerprint(schema: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(withoutDocs(schema)))
    .digest('hex');
}

/** Every object inside a schema: records, enums, fixeds, fields. */
function partsOf(schema: unknown): Json[] {
  if (Array.isArray(schema)) return schema.flatMap(partsOf);
  if (typeof schema !== 'object' || schema === null) return [];
  const { default: _, ...rest } = schema as Json;
  return [schema as Json, ...Object.values(rest).flatMap(partsOf)];
}

const enumsOf = (schema: unknown) => partsOf(schema).filter(({ type }) => type === 'enum');

it('what is published never changes: make a new version, with an id and samples of its own', () => {
  const now = published.map(({ record, version, embeddedId, schema }) => ({
    record,
    version,
    embeddedId,
    fingerprint: fingerprint(schema),
  }));
  const then = sampleFiles.map(({ samples: _, ...file }) => file);
  const byName = (a: { record: string; version: number }, b: { record: string; version: number }) =>
    a.record.localeCompare(b.record) || a.version - b.version;
  expect(now.sort(byName)).toEqual(then.sort(byName));
});

it('no two versions share an id on the embedded log', () => {
  const ids = published.map(({ embeddedId }) => embeddedId);
  expect(new Set(ids).size).toBe(ids.length);
});

describe.each(
  published.map(({ record, version, schema }) => ({ name: `${record} ${version}`, schema, record })),
)('$name', ({ schema, record }) => {
  it('is named as it is filed', () => {
    expect(`${schema.namespace}.${schema.name}`).toBe(record);
  });

  it('says what each record, field, enum and fixed means', () => {
    const silent = partsOf(schema).filter((part) => 'name' in part && !/\w{3}/.test(String(part.doc ?? '')));
    expect(silent.map(({ name }) => name)).toEqual([]);
  });

  it('has enums that a later symbol does not break', () => {
    for (const { symbols, default: otherwise } of enumsOf(schema)) {
      expect(otherwise).toBe('UNKNOWN');
      expect((symbols as string[])[0]).toBe('UNKNOWN');
      expect(symbols).toEqual((symbols as string[]).map((symbol) => symbol.toUpperCase()));
    }
  });

  it('gives each field that may be null the default null', () => {
    const nullable = partsOf(schema).filter(({ type }) => Array.isArray(type) && type.includes('null'));
    expect(nullable.filter((field) => field.default !== null)).toEqual([]);
  });
});

it('every event begins with the same fields, so that types of later versions can be told apart', () => {
  const events = published.filter(({ record }) => record.startsWith('loopwarden.events.'));
  const common = ['runId', 'agentId', 'sessionId', 'gatewayId', 'source', 'sequence', 'observedAt'];
  const heads = events.map(({ schema }) => schema.fields.slice(0, common.length));
  for (const head of heads) expect(withoutDocs(head)).toEqual(withoutDocs(heads[0]));
  expect(heads[0]?.map(({ name }) => name)).toEqual(common);
});
