import { expect } from 'vitest';

/** Expects plain data to be equal; the story, which costs, is told only where they differ. */
export function expectSame(said: unknown, told: unknown, story: () => string): void {
  if (JSON.stringify(said) !== JSON.stringify(told)) expect(said, `${story()}\n`).toEqual(told);
}

/** A failing property needs time to shrink. */
export const PATIENCE_MS = 120_000;
