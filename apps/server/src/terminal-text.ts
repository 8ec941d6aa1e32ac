/**
 * Columns of the terminal. A pipe or a log has no width: a sentence and a row of a table are one
 * line each, which can be searched.
 */
const width_of_output = Math.max(
  40,
  process.stdout.columns ?? (Number(process.env.COLUMNS) || Number.POSITIVE_INFINITY),
);

/** The width of a usage text, also in a pipe. */
const width_of_usage = Math.min(width_of_output, 80);

/** A column of a table. A text alone is the head of a column of text. */
export type Column =
  | string
  | { readonly head: string /** Numbers end at the same place. */; readonly is_number?: boolean };

/** A cell of a table. Null is shown as `-`, and a truth value as yes or no. */
export type Cell = string | number | boolean | null;

/**
 * The text in lines of at most `width`, broken between words only. The first line begins with
 * `indent`, the others with `hanging`.
 */
export function wrapText(text: string, indent = '', hanging = indent, width = width_of_output): string {
  const lines: string[] = [];
  for (const paragraph of text.split('\n')) {
    let line = lines.length === 0 ? indent : hanging;
    let is_empty = true;
    for (const word of paragraph.split(' ')) {
      if (!is_empty && widthOf(line) + 1 + widthOf(word) > width) {
        lines.push(line);
        line = hanging;
        is_empty = true;
      }
      line += is_empty ? word : ` ${word}`;
      is_empty = false;
    }
    lines.push(line.trimEnd());
  }
  return lines.join('\n');
}

/** Names with what they mean, one beside the other, the meaning in lines of its own column. */
export function formatTerms(terms: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(...terms.map(([name]) => widthOf(name)));
  const hanging = ' '.repeat(width + 4);
  return terms.map(([name, meaning]) => wrapText(meaning, `  ${padEnd(name, width)}  `, hanging, width_of_usage));
}

/**
 * A table whose columns are as wide as their widest cell. What does not fit into the width follows
 * each row on lines of its own, by name.
 */
export function formatTable(
  columns: readonly Column[],
  cells_of_rows: readonly (readonly Cell[])[],
  { indent = '', width = width_of_output } = {},
): string {
  const rows = cells_of_rows.map((cells) => cells.map(textOf));
  const heads = columns.map((column) => (typeof column === 'string' ? column : column.head));
  const widths = heads.map((head, at) => Math.max(widthOf(head), ...rows.map((row) => widthOf(row[at] ?? ''))));
  let fitting = columns.length;
  const lineWidth = (): number => widths.slice(0, fitting).reduce((sum, one) => sum + one + 2, indent.length - 2);
  while (fitting > 1 && lineWidth() > width) fitting -= 1;
  const lineOf = (cells: readonly string[]): string =>
    `${indent}${columns
      .slice(0, fitting)
      .map((column, at) => {
        const is_number = typeof column !== 'string' && column.is_number === true;
        return is_number ? padStart(cells[at] ?? '', widths[at]!) : padEnd(cells[at] ?? '', widths[at]!);
      })
      .join('  ')}`.trimEnd();
  const restOf = (cells: readonly string[]): readonly string[] => {
    const rest = heads.flatMap((head, at) =>
      at < fitting || ['', '-'].includes(cells[at] ?? '') ? [] : `${head === '' ? '' : `${head}: `}${cells[at]}`,
    );
    return rest.length === 0 ? [] : [wrapText(rest.join(', '), `${indent}    `, `${indent}    `, width)];
  };
  return [lineOf(heads), ...rows.flatMap((row) => [lineOf(row), ...restOf(row)])].join('\n');
}

/** The table; `none` when it has no row. */
export function formatList(none: string, columns: readonly Column[], rows: readonly (readonly Cell[])[]): string {
  return rows.length === 0 ? none : formatTable(columns, rows);
}

function textOf(cell: Cell): string {
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no';
  return cell === null ? '-' : String(cell);
}

/** The columns that a text takes on a terminal: wide characters two, marks that combine none. */
export function widthOf(text: string): number {
  if (is_ascii.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += columnsOf(segment);
  return width;
}

function columnsOf(segment: string): number {
  if (is_mark.test(segment)) return 0;
  return is_wide.test(segment) && !is_half_width.test(segment) ? 2 : 1;
}

const graphemes = new Intl.Segmenter('en');
const is_ascii = /^[\x20-\x7e]*$/;
const is_wide =
  /\p{Script=Han}|\p{Script=Hangul}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Emoji_Presentation}|\ufe0f|[\u3000-\u303f\uff01-\uff60\uffe0-\uffe6]/u;
const is_half_width = /^[\uff61-\uffdc]/;
const is_mark = /^[\p{M}\p{Cf}]+$/u;

/** The text in at most `width` columns, the last of them `…` when it was longer. */
export function shortenText(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let shortened = '';
  let left = width - 1;
  for (const { segment } of graphemes.segment(text)) {
    left -= widthOf(segment);
    if (left < 0) break;
    shortened += segment;
  }
  return `${shortened}…`;
}

function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

function padStart(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - widthOf(text))) + text;
}
