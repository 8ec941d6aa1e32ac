import { FileProblem } from '@tallystick/imports';
import { type CsvField, type CsvProfile, knownColumns, requiredColumns } from './profile.ts';
import { type Row, rowsOf } from './rows.ts';

/** The longest header row, in bytes. A bad record keeps it, to be read again. */
export const header_bytes_max = 4_096;

/** The header row of a file, understood by a profile. */
export class Header {
  readonly profile: CsvProfile;
  readonly row: Row;
  readonly #place_of: ReadonlyMap<string, number>;
  readonly #place_of_field: ReadonlyMap<CsvField, number>;

  constructor(profile: CsvProfile, row: Row) {
    this.profile = profile;
    this.row = row;
    this.#place_of = new Map(row.cells.map((name, place) => [name, place]));
    this.#place_of_field = new Map(
      Object.entries(profile.columns).flatMap(([name, field]) => {
        const place = this.#place_of.get(name);
        return place === undefined ? [] : [[field, place] as const];
      }),
    );
  }

  /** The value of a column; null when it is empty, or the row ends before it. */
  column(row: Row, name: string): string | null {
    const place = this.#place_of.get(name);
    return place === undefined ? null : presentText(row.cells[place]);
  }

  field(row: Row, field: CsvField): string | null {
    const place = this.#place_of_field.get(field);
    const text = place === undefined ? null : presentText(row.cells[place]);
    if (text === null) return this.profile.constants[field] ?? null;
    const words = this.profile.words[field] ?? {};
    return Object.hasOwn(words, text) ? words[text]! : text;
  }

  nameOf(field: CsvField): string {
    const place = this.#place_of_field.get(field);
    return place === undefined ? field : this.row.cells[place]!;
  }
}

/** Why a header row is not one of the profile; null when it is one. */
function headerProblem(profile: CsvProfile, cells: readonly string[]): string | null {
  const names = new Set(cells);
  if (names.size !== cells.length) return 'a column is there twice';
  const missing = [...requiredColumns(profile)].filter((name) => !names.has(name));
  if (missing.length > 0) return `it lacks the columns ${missing.join(', ')}`;
  const known = new Set(knownColumns(profile));
  const unknown = profile.skips_other_columns ? [] : cells.filter((name) => !known.has(name));
  return unknown.length > 0 ? `it has ${unknown.length} columns that the profile does not name` : null;
}

function presentText(text: string | undefined): string | null {
  return text === undefined || text === '' ? null : text;
}

export function hasHeaderOf(profile: CsvProfile, head: Uint8Array): boolean {
  return headerProblem(profile, cellsOf(profile, head)) === null;
}

/** The first of the profiles whose header row the file begins with. Throws `FileProblem`. */
export function findProfile(profiles: readonly CsvProfile[], head: Uint8Array): CsvProfile {
  const problems: string[] = [];
  for (const profile of profiles) {
    const problem = headerProblem(profile, cellsOf(profile, head));
    if (problem === null) return profile;
    problems.push(`${profile.name}: ${problem}`);
  }
  throw new FileProblem('refused', 'header_unknown', `the header row fits no profile. ${problems.join('; ')}`, 0);
}

/** The cells of the first row; none when its quotes are broken. */
function cellsOf(profile: CsvProfile, head: Uint8Array): readonly string[] {
  const text = new TextDecoder().decode(head.subarray(0, header_bytes_max));
  const [line] = text.split(/\r?\n/, 1);
  const [cells] = rowsOf(profile, line!);
  return cells ?? [];
}
