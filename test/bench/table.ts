import type { Measure } from './measure.ts';

const HEADINGS = ['measure', 'value', 'unit', 'baseline', 'ratio', 'runs'];
/** Names are read from the left, numbers compared from the right. */
const LEFT = [true, false, true, false, false, false];

/** The measures as an aligned table, one a line, without a line break at the end. */
export function table(measures: readonly Measure[]): string {
  const rows = [HEADINGS, ...measures.map(cells)];
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => aligned(row, widths)).join('\n');
}

function cells({ name, value, unit, baseline, ratio, runs }: Measure): string[] {
  return [name, digits(value), unit, digits(baseline), digits(ratio), String(runs)];
}

function aligned(row: readonly string[], widths: readonly number[]): string {
  const padded = row.map((cell, column) => {
    const width = widths[column] ?? 0;
    return LEFT[column] ? cell.padEnd(width) : cell.padStart(width);
  });
  return padded.join('  ').trimEnd();
}

/** Three digits say all that a median of a few runs can; whole numbers from there on. */
function digits(value: number | null): string {
  if (value === null) return '-';
  if (Math.abs(value) < 100) return String(Number(value.toPrecision(3)));
  return Math.round(value).toLocaleString('en');
}
