/** A column of a table. */
export interface Column<Row> {
  readonly title: string;
  readonly align: 'left' | 'right';
  readonly cell: (row: Row) => string;
  /** Colours a cell that is already padded. */
  readonly paint?: (text: string, row: Row) => string;
}

/** Rows under titles, aligned, two blanks between columns. */
export function tableLines<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  paintTitle: (text: string) => string,
): readonly string[] {
  const cells = rows.map((row) => columns.map(({ cell }) => cell(row)));
  const widths = columns.map(({ title }, index) =>
    Math.max(title.length, ...cells.map((line) => line[index]?.length ?? 0)),
  );
  const pad = (text: string, index: number): string => {
    const width = widths[index] ?? 0;
    return columns[index]?.align === 'right' ? text.padStart(width) : text.padEnd(width);
  };
  const heading = columns.map(({ title }, index) => paintTitle(pad(title, index)));
  const body = rows.map((row, line) =>
    columns.map(({ paint }, index) => {
      const padded = pad(cells[line]?.[index] ?? '', index);
      return paint === undefined ? padded : paint(padded, row);
    }),
  );
  return [heading, ...body].map((line) => line.join('  ').trimEnd());
}
