/**
 * Cells of a table in CSV (RFC 4180) that a spreadsheet opens. A text that a spreadsheet would run
 * as a formula has an apostrophe before it, which `plainText` removes again: for each text,
 * `plainText(harmlessText(text))` is the text.
 */

/**
 * Characters that begin a formula, also in full width, and white space that is cut off before it.
 */
const runs_as_formula = /^'*[=+\-@\t\r\n＝＋－＠]/;

/** The text as a spreadsheet may show it. */
export function harmlessText(text: string): string {
  return runs_as_formula.test(text) ? `'${text}` : text;
}

/** The text as it was before `harmlessText`. */
export function plainText(cell: string): string {
  return cell.startsWith("'") && runs_as_formula.test(cell) ? cell.slice(1) : cell;
}

/** A value of a row: an amount, a word of this service, or a text of others in `{ text }`. */
export type CellValue = string | number | null | { readonly text: string };

/** The row with its line end. */
export function toCsvRow(values: readonly CellValue[]): string {
  return `${values.map(toCell).join(',')}\r\n`;
}

function toCell(value: CellValue): string {
  if (value === null) return '';
  const shown = typeof value === 'object' ? harmlessText(value.text) : String(value);
  return /[",;\t\r\n]|^\s|\s$/.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
}
