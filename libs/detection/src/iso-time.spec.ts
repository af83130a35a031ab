import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readIsoTime } from './iso-time.ts';

describe('readIsoTime', () => {
  it('agrees with the platform on every time that it writes', () => {
    const range = {
      min: new Date('0001-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59Z'),
      noInvalidDate: true,
    };
    fc.assert(
      fc.property(fc.date(range), (date) => {
        expect(readIsoTime(date.toISOString())).toBe(date.getTime());
      }),
    );
  });

  it.each([
    ['2026-07-01T12:00Z', Date.UTC(2026, 6, 1, 12)],
    ['2026-07-01T12:00:30.5+02:00', Date.UTC(2026, 6, 1, 10, 0, 30, 500)],
    ['2026-07-01T12:00:00-0530', Date.UTC(2026, 6, 1, 17, 30)],
    ['2024-02-29T00:00:00.123456z', Date.UTC(2024, 1, 29, 0, 0, 0, 123)],
    ['1969-12-31T23:59:59Z', -1000],
    ['2000-02-29T00:00:00Z', Date.UTC(2000, 1, 29)],
  ])('reads %s', (text, at) => {
    expect(readIsoTime(text)).toBe(at);
  });

  it.each([
    '2026-07-01T12:00:00',
    '2026-07-01',
    '2026-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-07-32T00:00:00Z',
    '2026-07-01T24:00:00Z',
    '2026-07-01T12:60:00Z',
    '2026-07-01T12:00:00+24:00',
    ' 2026-07-01T12:00:00Z',
    'yesterday',
    '',
  ])('refuses %j', (text) => {
    expect(readIsoTime(text)).toBeNull();
  });
});
