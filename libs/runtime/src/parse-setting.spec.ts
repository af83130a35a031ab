import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSetting } from './parse-setting.ts';
import { between, type Setting } from './setting.ts';

const text = '';
const parse = (setting: object, raw: unknown) =>
  parseSetting({ default: null, text, ...setting } as Setting, raw);
const value = (type: string, raw: unknown) => {
  const parsed = parse({ type }, raw);
  return parsed.ok ? parsed.value : parsed.sentence;
};

describe('a setting is read from text and from JSON', () => {
  it.each([
    ['integer', '42', 42],
    ['integer', 42, 42],
    ['integer', ' -7 ', -7],
    ['boolean', 'true', true],
    ['boolean', false, false],
    ['duration', '250ms', 250],
    ['duration', '30s', 30_000],
    ['duration', '5 m', 300_000],
    ['duration', '24h', 86_400_000],
    ['duration', '7d', 604_800_000],
    ['size', '512B', 512],
    ['size', '64KiB', 65_536],
    ['size', '16MB', 16_000_000],
    ['list', 'a:1, b:2', ['a:1', 'b:2']],
    ['list', ['a:1'], ['a:1']],
    ['string', 'x', 'x'],
  ])('%s %j', (type, raw, expected) => {
    expect(value(type, raw)).toEqual(expected);
  });

  it('brings every whole number through its text unchanged', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (number) => {
        expect(value('integer', String(number))).toBe(number);
      }),
    );
  });
});

describe('a value of the wrong form is refused with what is wanted and what is there', () => {
  it.each([
    ['integer', '4.5', 'must be a whole number, and is "4.5".'],
    ['integer', '', 'must be a whole number, and is "".'],
    ['integer', '9007199254740993', 'must be a whole number, and is "9007199254740993".'],
    ['integer', true, 'must be a whole number, and is true.'],
    ['boolean', 'yes', 'must be true or false, and is "yes".'],
    ['boolean', 1, 'must be true or false, and is 1.'],
    ['duration', 30, 'must be a duration with its unit, such as 250ms, 30s, 5m, 24h or 7d, and is 30.'],
    ['duration', '5w', 'must be a duration with its unit, such as 250ms, 30s, 5m, 24h or 7d, and is "5w".'],
    ['duration', '5constructor', expect.stringContaining('must be a duration')],
    ['size', '1TB', 'must be a size with its unit, such as 512B, 64KiB, 16MB or 1GiB, and is "1TB".'],
    ['list', 'a,,b', 'must be a list of texts without empty ones, and is "a,,b".'],
    ['list', [1], 'must be a list of texts without empty ones, and is [1].'],
    ['list', 5, 'must be a list of texts, and is 5.'],
    ['string', { a: 1 }, 'must be text, and is {"a":1}.'],
  ])('%s %j', (type, raw, sentence) => {
    expect(parse({ type }, raw)).toEqual({ ok: false, sentence });
  });

  it('an enum lists its values', () => {
    expect(parse({ type: 'enum', values: ['a', 'b'] }, 'c')).toEqual({
      ok: false,
      sentence: 'must be one of a, b, and is "c".',
    });
  });

  it('a secret is never repeated', () => {
    expect(JSON.stringify(parse({ type: 'secret' }, { hidden: 'hunter2' }))).not.toContain('hunter2');
  });

  it('a value out of bounds names the bounds', () => {
    const setting = { type: 'integer', check: between(1, 9) };
    expect(parse(setting, '0')).toEqual({ ok: false, sentence: 'must lie between 1 and 9, and is 0.' });
    expect(parse(setting, '1').ok && parse(setting, '9').ok).toBe(true);
    expect(parse(setting, '10').ok).toBe(false);
  });
});
