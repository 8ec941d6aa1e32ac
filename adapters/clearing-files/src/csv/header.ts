import { decodeText, FileProblem } from '@tallystick/imports';
import { type CsvField, type CsvProfile, knownColumns, requiredColumns } from './profile.ts';
import { isBlank, type Row, type RowForm, rowsOf } from './rows.ts';

/** The longest header row, in bytes. A bad record keeps it, to be read again. */
export const header_bytes_max = 4_096;

/** What files have between cells, besides what their profile says. */
const delimiters = [',', ';', '\t', '|'];

/** A file as its first bytes show it. */
export interface FileForm extends RowForm {
  readonly profile: CsvProfile;
  /** Bytes before the header row: a byte order mark, blank rows, a row that names the delimiter. */
  readonly start: number;
}

/** The header row of a file, understood by a profile. */
export class Header {
  readonly profile: CsvProfile;
  readonly row: Row;
  /** The number of columns, without those at the end that have no name. */
  readonly width: number;
  readonly #place_of: ReadonlyMap<string, number>;
  readonly #place_of_field: ReadonlyMap<CsvField, number>;

  constructor(profile: CsvProfile, row: Row) {
    this.profile = profile;
    this.row = row;
    this.width = 1 + row.cells.findLastIndex((name) => !isBlank(name));
    this.#place_of = placesOf(profile, row.cells);
    this.#place_of_field = new Map(
      Object.entries(profile.columns).flatMap(([name, field]) => {
        const place = this.#place_of.get(name);
        return place === undefined ? [] : [[field, place] as const];
      }),
    );
  }

  /** Whether a row has as many columns, or more that are blank. */
  fits({ cells }: Row): boolean {
    return cells.length >= this.width && cells.slice(this.width).every(isBlank);
  }

  /** The value of a column; null when it is blank, or the row ends before it. */
  column(row: Row, name: string): string | null {
    const place = this.#place_of.get(name);
    return place === undefined ? null : presentText(row.cells[place]);
  }

  field(row: Row, field: CsvField): string | null {
    const place = this.#place_of_field.get(field);
    const cell = place === undefined ? undefined : row.cells[place];
    const text = presentText(cell);
    if (text === null) return this.profile.constants[field] ?? null;
    // Its characters have their places among 13, and those that are not known are blank.
    if (field === 'net_reference_number' && cell?.length === 13) return cell;
    const words = this.profile.words[field] ?? {};
    return Object.hasOwn(words, text) ? words[text]! : text;
  }

  nameOf(field: CsvField): string {
    const place = this.#place_of_field.get(field);
    return place === undefined ? field : this.row.cells[place]!;
  }
}

function presentText(text: string | undefined): string | null {
  return text?.trim() || null;
}

/**
 * Where the columns of the profile are in a header row: by their names, or else by names that
 * differ in case, quotes, and blanks or underscores only.
 */
function placesOf(profile: CsvProfile, cells: readonly string[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  for (const alike of [(name: string) => name.trim(), looseName]) {
    const names = cells.map(alike);
    const taken = new Set(places.values());
    for (const column of knownColumns(profile)) {
      const place = names.indexOf(alike(column));
      if (place >= 0 && !places.has(column) && !taken.has(place)) places.set(column, place);
    }
  }
  return places;
}

function looseName(name: string): string {
  return name
    .replace(/^[\s"']+|[\s"']+$/g, '')
    .replace(/[\s_]+/g, '_')
    .toLowerCase();
}

/** Why a header row is not one of the profile; null when it is one. */
function headerProblem(profile: CsvProfile, cells: readonly string[]): string | null {
  const places = placesOf(profile, cells);
  const used = new Set(places.values());
  const named = new Set([...used].map((place) => looseName(cells[place]!)));
  const others = cells.filter((name, place) => !isBlank(name) && !used.has(place));
  if (others.some((name) => named.has(looseName(name)))) return 'a column is there twice';
  const missing = [...requiredColumns(profile)].filter((name) => !places.has(name));
  if (missing.length > 0) return `it lacks the columns ${missing.join(', ')}`;
  if (profile.skips_other_columns || others.length === 0) return null;
  return `it has ${others.length} columns that the profile does not name`;
}

/**
 * The form of a file that begins so, by the first of the profiles that its header row fits. Null
 * when none does; then `problems` has one for each.
 */
export function findForm(profiles: readonly CsvProfile[], head: Uint8Array, problems: string[] = []): FileForm | null {
  const { start, line, delimiter, line_break } = headerLine(head);
  for (const profile of profiles) {
    const tried = delimiter === null ? new Set([profile.delimiter, ...delimiters]) : [delimiter];
    const found = [...tried].map((one) => {
      const form = { profile, start, delimiter: one, quote: profile.quote, line_break };
      return { form, problem: headerProblem(profile, rowsOf(form, line)[0] ?? []) };
    });
    const fitting = found.find(({ problem }) => problem === null);
    if (fitting !== undefined) return fitting.form;
    problems.push(`${profile.name}: ${found[0]!.problem}`);
  }
  return null;
}

/** As `findForm`. Throws `FileProblem` when the header row fits no profile. */
export function requireForm(profiles: readonly CsvProfile[], head: Uint8Array): FileForm {
  const problems: string[] = [];
  const form = findForm(profiles, head, problems);
  if (form !== null) return form;
  throw new FileProblem('refused', 'header_unknown', `the header row fits no profile. ${problems.join('; ')}`, 0);
}

/** Where the header row of a file is, and what the file says of its cells and rows. */
function headerLine(head: Uint8Array) {
  const bytes = Buffer.from(head.subarray(0, header_bytes_max));
  const text = bytes.toString('latin1');
  let start = text.startsWith('\xef\xbb\xbf') ? 3 : 0;
  let delimiter: string | null = null;
  for (;;) {
    const { 0: whole, 1: line, 2: line_end } = /^([^\r\n]*)(\r\n|\r|\n|$)/.exec(text.slice(start))!;
    const stated = separator_row.exec(line!)?.[1] ?? null;
    if (line_end === '' || (stated === null && !/^[\s,;|"]*$/.test(line!))) {
      const line_break = line_end === '\r' ? ('\r' as const) : ('\n' as const);
      return { start, line: decodeText(bytes.subarray(start, start + line!.length)), delimiter, line_break };
    }
    delimiter = stated ?? delimiter;
    start += whole.length;
  }
}

/** How a file for a spreadsheet names its delimiter: `sep=;`. */
const separator_row = /^"?sep=([^\w"])[",;|\s]*$/i;
