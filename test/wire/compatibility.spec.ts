import { type AvroField, type AvroRecord, current, published, topicOf, topics } from '@loopwarden/schemas';
import { describe, expect, it } from 'vitest';
import { incompatibilities } from './compatibility.ts';

const RECORDS = topics.flatMap(({ records }) => records);

it.each(RECORDS)('%s: all published versions understand each other as the topic demands', (record) => {
  const versions = published.filter((one) => one.record === record).map(({ schema }) => schema);
  expect(incompatibilities(versions, topicOf(record).compatibility)).toEqual([]);
});

const FIRST = current['loopwarden.events.RunEnd'].schema;
const withFields = (fields: readonly AvroField[]): AvroRecord => ({ ...FIRST, fields });
const edited = (name: string, edit: (field: AvroField) => AvroField): AvroRecord =>
  withFields(FIRST.fields.map((field) => (field.name === name ? edit(field) : field)));
const enumWith = (symbols: readonly string[], otherwise?: string) => ({
  type: 'enum',
  name: 'RunStatus',
  namespace: 'loopwarden.events',
  symbols,
  ...(otherwise === undefined ? {} : { default: otherwise }),
});
const statusWith = (symbols: readonly string[], otherwise?: string) =>
  edited('status', (field) => ({ ...field, type: enumWith(symbols, otherwise) }));
const SYMBOLS = ['UNKNOWN', 'COMPLETED', 'FAILED', 'ABORTED'];
const NOTE: AvroField = { name: 'note', doc: 'A note.', type: ['null', 'string'], default: null };
const { default: _, ...NOTE_WITHOUT_DEFAULT } = NOTE;

describe('a version is refused that', () => {
  it.each<[string, readonly AvroRecord[], RegExp]>([
    [
      'adds a field without a default',
      [FIRST, withFields([...FIRST.fields, NOTE_WITHOUT_DEFAULT])],
      /version 2 cannot read version 1/,
    ],
    [
      'removes the default of a field that an older version lacks',
      [FIRST, withFields([...FIRST.fields, NOTE]), withFields([...FIRST.fields, NOTE_WITHOUT_DEFAULT])],
      /version 3 cannot read version 1/,
    ],
    [
      'renames a field',
      [FIRST, edited('source', (field) => ({ ...field, name: 'origin' }))],
      /version 2 cannot read version 1/,
    ],
    [
      'changes the type of a field',
      [FIRST, edited('sequence', (field) => ({ ...field, type: 'string' }))],
      /version 2 cannot read version 1/,
    ],
    [
      'removes a symbol of an enum without a default',
      [statusWith(SYMBOLS), statusWith(SYMBOLS.slice(0, 3))],
      /version 2 cannot read version 1/,
    ],
  ])('%s', (_name, versions, sentence) => {
    expect(incompatibilities(versions, 'BACKWARD_TRANSITIVE')).toEqual([expect.stringMatching(sentence)]);
  });
});

describe('a version of a verdict is refused that old gateways cannot read, because it', () => {
  it.each<[string, readonly AvroRecord[]]>([
    [
      'drops a field that has no default',
      [FIRST, withFields(FIRST.fields.filter(({ name }) => name !== 'source'))],
    ],
    ['adds a symbol to an enum without a default', [statusWith(SYMBOLS), statusWith([...SYMBOLS, 'PAUSED'])]],
    ['widens a number', [edited('sequence', (field) => ({ ...field, type: 'int' })), FIRST]],
  ])('%s', (_name, versions) => {
    expect(incompatibilities(versions, 'FULL_TRANSITIVE')).toEqual([
      expect.stringMatching(/version 1 cannot read version 2/),
    ]);
    expect(incompatibilities(versions, 'BACKWARD_TRANSITIVE')).toEqual([]);
  });
});

describe('a version is good that', () => {
  it.each<[string, readonly AvroRecord[]]>([
    ['adds a field with a default', [FIRST, withFields([...FIRST.fields, NOTE]), FIRST]],
    [
      'adds a symbol to an enum with a default',
      [statusWith(SYMBOLS, 'UNKNOWN'), statusWith([...SYMBOLS, 'PAUSED'], 'UNKNOWN')],
    ],
    ['only says more', [FIRST, edited('source', (field) => ({ ...field, doc: 'Another sentence.' }))]],
  ])('%s', (_name, versions) => {
    expect(incompatibilities(versions, 'FULL_TRANSITIVE')).toEqual([]);
  });
});
