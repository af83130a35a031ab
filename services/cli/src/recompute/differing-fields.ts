import type { Verdict } from '@loopwarden/detection';

/** One field of a verdict that was published otherwise than it is recomputed. */
export interface DifferingField {
  readonly field: string;
  readonly published: unknown;
  readonly recomputed: unknown;
}

/** Where two verdicts of one id differ. */
export function differingFields(published: Verdict, recomputed: Verdict): readonly DifferingField[] {
  const fields = Object.keys(recomputed) as (keyof Verdict)[];
  return fields
    .filter((field) => JSON.stringify(published[field]) !== JSON.stringify(recomputed[field]))
    .map((field) => ({ field, published: published[field], recomputed: recomputed[field] }));
}
