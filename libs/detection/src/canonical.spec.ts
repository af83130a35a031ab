import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonical, digest, MAX_DEPTH, MAX_VALUES } from './canonical.ts';

const sha256 = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');

interface Vector {
  readonly value?: unknown;
  readonly canonical: string;
  readonly digest: string;
}
const { vectors }: { vectors: Vector[] } = JSON.parse(
  readFileSync(new URL('./canonical.vectors.json', import.meta.url), 'utf8'),
);

const page = readFileSync(new URL('../CANONICAL.md', import.meta.url), 'utf8');

function nested(levels: number): unknown {
  let value: unknown = 'core';
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { value };
  return value;
}

describe('canonical', () => {
  it.each(vectors)('writes the published vector $canonical', (vector) => {
    expect(canonical(vector.value)).toBe(vector.canonical);
    expect(digest(sha256, canonical(vector.value))).toBe(vector.digest);
  });

  it.each(vectors)('shows the vector $digest on its page', (vector) => {
    expect(page).toContain(`| \`${vector.digest}\` |`);
  });

  it('is JSON of the same value, for JSON values', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonical(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('does not depend on the order in which keys were set', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), (value) => {
        const reversed = Object.fromEntries(Object.entries(value).reverse());
        expect(canonical(reversed)).toBe(canonical(value));
      }),
    );
  });

  it.each([
    [undefined, 'undefined'],
    [Number.NaN, '"NaN"'],
    [Number.NEGATIVE_INFINITY, '"-Infinity"'],
    [5n, '"5"'],
    [Symbol('s'), 'null'],
    [() => 1, 'null'],
    [{ a: undefined }, '{"a":undefined}'],
    [[undefined, () => 1], '[undefined,null]'],
    [new Date(0), '{}'],
    [new Map([['a', 1]]), '{}'],
    [new Set([1]), '{}'],
    [{ toJSON: () => 'other', a: 1 }, '{"a":1,"toJSON":null}'],
    [new Uint8Array([0, 255, 16]), '{"data":"AP8Q","type":"Uint8Array"}'],
    [Buffer.from('hi'), '{"data":"aGk=","type":"Uint8Array"}'],
    [new Uint8Array(), '{"data":"","type":"Uint8Array"}'],
  ])('writes %o', (value, text) => {
    expect(canonical(value)).toBe(text);
  });

  it('reads holes as undefined', () => {
    const holes: unknown[] = [];
    holes[2] = 1;
    expect(canonical(holes)).toBe('[undefined,undefined,1]');
  });

  it('writes an error as exactly name, message and stack', () => {
    const error = Object.assign(new TypeError('no'), { code: 'E', stack: 'at x' });
    expect(canonical(error)).toBe('{"message":"no","name":"TypeError","stack":"at x"}');
  });

  it('marks a cycle, and writes an object shared side by side in full each time', () => {
    const loop: Record<string, unknown> = { a: 1 };
    loop.self = [loop];
    expect(canonical(loop)).toBe('{"a":1,"self":["[Circular]"]}');
    const shared = { b: 2 };
    expect(canonical([shared, shared])).toBe('[{"b":2},{"b":2}]');
  });

  it('ignores inherited, symbol and hidden fields', () => {
    const value = Object.create({ inherited: 1 });
    Object.defineProperty(value, 'hidden', { value: 1, enumerable: false });
    value[Symbol('s')] = 1;
    value.own = 1;
    expect(canonical(value)).toBe('{"own":1}');
  });

  it('gives what throws a fixed text and goes on', () => {
    const value = {
      get bad(): never {
        throw new Error('no');
      },
      good: 1,
    };
    expect(canonical(value)).toBe('{"bad":"[Unreadable]","good":1}');
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(canonical([proxy])).toBe('["[Unreadable]"]');
  });

  it('writes MAX_DEPTH levels in full and survives any depth', () => {
    expect(canonical(nested(MAX_DEPTH))).toContain('core');
    expect(canonical(nested(MAX_DEPTH + 1))).not.toContain('core');
    expect(canonical(nested(MAX_DEPTH + 1))).toContain('"[Deep]"');
    expect(canonical(nested(100_000))).toBe(canonical(nested(100_002)));
  });

  it('bounds the work on an object that is shared exponentially often', () => {
    let value: unknown = 'leaf';
    for (let level = 0; level < 60; level += 1) value = [value, value];
    const text = canonical(value);
    expect(text.length).toBeLessThan(MAX_VALUES * 20);
    expect(text).toContain('"[Long]"');
  });

  it('leaves out fields that the caller names, at every depth', () => {
    const value = { ts: 1, a: [{ ts: 2, b: 3 }] };
    expect(canonical(value, (key) => key === 'ts')).toBe('{"a":[{"b":3}]}');
  });
});

describe('digest', () => {
  it('is the first 128 bits of the hash handed in, whatever its length', () => {
    expect(digest(() => 'ab'.repeat(64), 'text')).toBe('ab'.repeat(16));
  });
});

describe('the short way for JSON data', () => {
  /** A value that is no JSON data makes the form take the long way. */
  const theLongWay = (value: unknown): string => canonical([value, undefined]);

  it('writes what the long way writes', () => {
    const anything = fc.anything({ withBigInt: true, withDate: true, withSparseArray: true });
    const check = (value: unknown): void => {
      expect(theLongWay(value)).toBe(`[${canonical(value)},undefined]`);
    };
    fc.assert(fc.property(fc.oneof(fc.jsonValue(), anything), check), { numRuns: 500 });
  });

  it.each([
    ['many values', Array.from({ length: MAX_VALUES }, (_, index) => index)],
    ['an order of its own', { 10: 1, 9: 2, a: 3 }],
    ['a key with a meaning', JSON.parse('{"__proto__": 1, "toJSON": 2}')],
    ['a method called toJSON', { toJSON: () => 1 }],
    ['an array that has one', Object.assign([1], { toJSON: () => 2 })],
    ['an object of a class', new Map([[1, 2]])],
  ])('is not taken for %s', (_name, value) => {
    const longer = theLongWay(value);
    expect(longer.startsWith(`[${canonical(value).slice(0, 1000)}`.slice(0, 1000))).toBe(true);
  });

  it('keeps the bound on values', () => {
    const atBound = Array.from({ length: MAX_VALUES - 1 }, () => 0);
    expect(canonical(atBound).endsWith(',0]')).toBe(true);
    expect(canonical([...atBound, 0]).endsWith(',0,"[Long]"]')).toBe(true);
  });
});
