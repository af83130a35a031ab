const UNITS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

/** Milliseconds of a duration: a whole number of them, or text like "90s", "30m", "24h", "1d"; null: neither. */
export function readDuration(value: unknown): number | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? value : null;
  if (typeof value !== 'string') return null;
  const [, amount, unit] = /^(\d{1,12})(ms|s|m|h|d)$/.exec(value.trim()) ?? [];
  const factor = UNITS.get(unit ?? '');
  return factor === undefined ? null : Number(amount) * factor;
}
