/** A column of a table on a terminal. */
export interface Column {
  readonly head: string;
  /** Numbers end at the same place. */
  readonly is_number?: boolean;
}

/** Aligns columns to their widest cell. Each line begins with `indent`. */
export function formatColumns(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  indent = '',
): readonly string[] {
  const lines = [columns.map(({ head }) => head), ...rows];
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => widthOf(line[at] ?? ''))));
  return lines.map((line) =>
    `${indent}${columns
      .map(({ is_number }, at) => {
        const cell = line[at] ?? '';
        const space = ' '.repeat(widths[at]! - widthOf(cell));
        return is_number ? space + cell : cell + space;
      })
      .join('  ')}`.trimEnd(),
  );
}

function widthOf(text: string): number {
  return [...text].length;
}
