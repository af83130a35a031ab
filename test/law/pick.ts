import fc from 'fast-check';

/** Shorthands for choices. */

export const few = <T>(values: readonly [T, ...T[]] | readonly T[]): fc.Arbitrary<T> =>
  fc.constantFrom(...values);
/** Seven times of eight the usual one. */
export const mostly = <T>(usual: T, ...rare: T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 7, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: few(rare) });

export const positive = (max: number): fc.Arbitrary<number> => fc.integer({ min: 1, max });
