import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HEADERS, readLineage, readTrigger, writeTrigger } from './index.ts';

describe('the trigger of a verdict', () => {
  it('comes back as it was written', () => {
    fc.assert(
      fc.property(fc.nat(), fc.maxSafeNat(), (partition, offset) => {
        const headers = { [HEADERS.trigger]: writeTrigger({ partition, offset }) };
        expect(readTrigger(headers)).toEqual({ partition, offset });
      }),
    );
  });

  it.each([
    {},
    { 'lw-trigger': '' },
    { 'lw-trigger': '3' },
    { 'lw-trigger': '3:x' },
    { 'lw-trigger': '1:2:3' },
  ])('is none in %j', (headers) => expect(readTrigger(headers)).toBeNull());
});

describe('the lineage of a control record', () => {
  it('is decimal', () => {
    expect(readLineage({ [HEADERS.lineage]: '1767225600000' })).toBe(1_767_225_600_000);
  });

  it.each([{}, { 'lw-lineage': '' }, { 'lw-lineage': '-1' }, { 'lw-lineage': '1e3' }])(
    'is none in %j',
    (headers) => expect(readLineage(headers)).toBeNull(),
  );
});
