import * as z from 'zod';
import { csv_date_forms } from './dates.ts';

/** The fields of a clearing that a column can have (`ClearingInput`). */
export const csv_fields = [
  'network_financial_transaction_id',
  'card_number',
  'vcn_id',
  'billing_amount',
  'billing_currency',
  'clearing_type',
  'settlement_date',
  'cycle',
  'partial',
  'merchant_amount',
  'merchant_currency',
  'acquirer_reference_data',
  'approval_code',
  'net_reference_number',
  'merchant_id',
  'mcc',
  'authorization_date',
  'acquirer_ica',
  'exchange_rate',
  'mcc_description',
  'merchant_name',
] as const;

export type CsvField = (typeof csv_fields)[number];

/**
 * The fields without which a row is no clearing. A profile has each, as a column or as a constant.
 */
export const required_fields: readonly CsvField[] = [
  'billing_amount',
  'billing_currency',
  'clearing_type',
  'settlement_date',
];

const column = z.string().min(1).max(100);
const separator = z.string().regex(/^[^\r\n"\w]$/, 'must be one character, and no letter, digit, quote or line break');

export const trailer_schema = z.strictObject({
  /** The column and the value by which the row is known. */
  column,
  value: z.string().min(1),
  count_column: column,
  sum_column: column,
});

export const profile_schema = z.strictObject({
  /** By this name a person selects the profile. */
  name: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,31}$/, 'must be at most 32 small letters, digits, - and _'),
  /** Between columns: one character. A tab is `\t`. */
  delimiter: separator.default(','),
  /** Round a text with delimiters; doubled within it. Null: there are none. */
  quote: z.enum(['"', "'"], `must be ", ' or null`).nullable().default('"'),
  /** The header row: each column with its field. The order in a file is free. */
  columns: z.record(column, z.enum(csv_fields)),
  /**
   * Whether columns of a file that the profile does not name are skipped. Else the file is refused.
   */
  skips_other_columns: z.boolean().default(false),
  /** Fields that have the same value in each record. The transaction id cannot be one. */
  constants: z.partialRecord(z.enum(csv_fields), z.string().min(1)).default({}),
  /** Other words for the values of a field: `{ "clearing_type": { "D": "DEBIT" } }`. */
  words: z.partialRecord(z.enum(csv_fields), z.record(z.string(), z.string())).default({}),
  dates: z.enum(csv_date_forms).default('YYYY-MM-DD'),
  /**
   * `minor_units`: 1234 is 12.34 EUR. `decimal`: as written, with at most the decimals of the
   * currency.
   */
  amounts: z.enum(['minor_units', 'decimal']).default('minor_units'),
  decimal_separator: z.enum(['.', ',']).default('.'),
  /**
   * The columns that together identify a clearing, in a file without transaction ids: the id is a
   * hash of them. Rows with equal values are one clearing.
   */
  id_columns: z.array(column).min(1).optional(),
  /**
   * The column with the id of the file, the same in every row. Rows with other columns state none.
   */
  file_id_column: column.optional(),
  /** The last row, which states the number of records and the sum of their billing amounts. */
  trailer: trailer_schema.optional(),
});

/** How the CSV files of one sender are written. */
export type CsvProfile = z.output<typeof profile_schema>;

/** A profile as it is written: what has a default may be absent. */
export type CsvProfileInput = z.input<typeof profile_schema>;

/** The columns that a file of the profile must have. */
export function requiredColumns({ columns, ...profile }: CsvProfile): ReadonlySet<string> {
  const of_fields = Object.entries(columns).flatMap(([name, field]) => (isRequired(field) ? [name] : []));
  const of_trailer =
    profile.trailer === undefined
      ? []
      : [profile.trailer.column, profile.trailer.count_column, profile.trailer.sum_column];
  const of_file = profile.file_id_column === undefined ? [] : [profile.file_id_column];
  return new Set([...of_fields, ...of_trailer, ...of_file, ...(profile.id_columns ?? [])]);
}

function isRequired(field: CsvField): boolean {
  return required_fields.includes(field) || field === 'network_financial_transaction_id';
}

/** Every column that the profile names, in the order in which files are written. */
export function knownColumns({ columns, ...profile }: CsvProfile): readonly string[] {
  const { trailer } = profile;
  const first = [trailer?.column, profile.file_id_column].filter((name) => name !== undefined);
  const others = [...(profile.id_columns ?? []), trailer?.count_column, trailer?.sum_column].filter(
    (name) => name !== undefined,
  );
  return [...new Set([...first, ...Object.keys(columns), ...others])];
}
