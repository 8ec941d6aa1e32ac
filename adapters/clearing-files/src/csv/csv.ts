import { isDeepStrictEqual } from 'node:util';
import { type ClearingFormat, readText, textHead } from '@tallystick/imports';
import { findForm } from './header.ts';
import { parseCsvProfile } from './parse-profile.ts';
import { type CsvProfile, csv_fields } from './profile.ts';
import { readCsv, readCsvRow } from './reader.ts';
import { writeCsv, writeSpreadsheet } from './writer.ts';

const own_columns = Object.fromEntries(csv_fields.map((field) => [field, field]));

/**
 * The columns are the fields of a clearing. There is no trailer, so a shortened file looks whole.
 */
const default_profile: CsvProfile = parseCsvProfile({
  name: 'default',
  columns: own_columns,
});

/** The columns of `default_profile`, a file id, and a last row that states the totals. */
const totals_profile: CsvProfile = parseCsvProfile({
  name: 'totals',
  columns: own_columns,
  file_id_column: 'file_id',
  trailer: {
    column: 'record',
    value: 'trailer',
    count_column: 'network_financial_transaction_id',
    sum_column: 'billing_amount',
  },
});

const own_profiles = [default_profile, totals_profile];

/** The variant that is written as a spreadsheet saves a file of `default_profile`. */
const spreadsheet = 'excel';

/**
 * CSV files: a header row, one clearing in each row, and perhaps a last row with totals. A profile
 * states which column is which field, and how dates and amounts are written. The profiles of the
 * product, `default` and `totals`, are always known; one of the same name replaces them. Two
 * different profiles of one name, or a name that no profile has, are a `RangeError`.
 */
export function csvFormat(profiles: readonly CsvProfile[] = []): ClearingFormat {
  const given = byName(profiles);
  const known = [...given.values(), ...own_profiles.filter(({ name }) => !given.has(name))];
  const named = (name: string): CsvProfile => {
    const profile = known.find((one) => one.name === name);
    if (profile === undefined) {
      throw new RangeError(`csv has no profile ${name}: ${known.map((one) => one.name).join(', ')}`);
    }
    return profile;
  };
  const candidates = (name: string | undefined): readonly CsvProfile[] => (name === undefined ? known : [named(name)]);
  return {
    name: 'csv',
    title: 'CSV by a profile',
    detect: (head) => findForm(known, textHead(head)) !== null,
    findProfile: (head, { profile } = {}) => findForm(candidates(profile), textHead(head))?.profile ?? null,
    read(chunks, { profile } = {}) {
      const tried = candidates(profile);
      return readText(chunks, (text) => readCsv(text, tried));
    },
    readRecord: (raw, file, { profile } = {}) => readCsvRow(raw, file, candidates(profile)),
    profiles: known.map(({ name }) => name),
    variants: [...new Set([default_profile.name, ...known.map(({ name }) => name), spreadsheet])],
    write: (content, variant = default_profile.name) =>
      variant === spreadsheet ? writeSpreadsheet(content, default_profile) : writeCsv(content, named(variant)),
  };
}

/** Throws `RangeError` for two different profiles of one name. */
function byName(profiles: readonly CsvProfile[]): ReadonlyMap<string, CsvProfile> {
  const by_name = new Map<string, CsvProfile>();
  for (const profile of profiles) {
    const { name } = profile;
    if (by_name.has(name) && !isDeepStrictEqual(by_name.get(name), profile)) {
      throw new RangeError(`two different CSV profiles have the name ${name}`);
    }
    by_name.set(name, profile);
  }
  return by_name;
}
