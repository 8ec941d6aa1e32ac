import * as z from 'zod';

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

/** One of `csv_fields`. */
export type CsvField = (typeof csv_fields)[number];

/** The fields without which a row is no clearing. A profile has each, as a column or as a constant. */
const required_fields: readonly CsvField[] = ['billing_amount', 'billing_currency', 'clearing_type', 'settlement_date'];

/** How dates are written. */
export const csv_date_forms = [
  'YYYY-MM-DD',
  'YYYYMMDD',
  'DD/MM/YYYY',
  'MM/DD/YYYY',
  'DD.MM.YYYY',
  'DD-MM-YYYY',
] as const;

const column = z.string().min(1).max(100);
const separator = z.string().regex(/^[^\r\n"\w]$/, 'must be one character, and no letter, digit, quote or line break');

const schema = z.strictObject({
  /** By this name a person selects the profile. */
  name: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,31}$/, 'must be at most 32 small letters, digits, - and _'),
  /** Between columns: one character. A tab is `\t`. */
  delimiter: separator.default(','),
  /** Round a text with delimiters; doubled within it. Null: there are none. */
  quote: z.enum(['"', "'"]).nullable().default('"'),
  /** The header row: each column with its field. The order in a file is free. */
  columns: z.record(column, z.enum(csv_fields)),
  /** Whether columns of a file that the profile does not name are skipped. Else the file is refused. */
  skips_other_columns: z.boolean().default(false),
  /** Fields that have the same value in each record. The transaction id cannot be one. */
  constants: z.partialRecord(z.enum(csv_fields), z.string().min(1)).default({}),
  /** Other words for the values of a field: `{ "clearing_type": { "D": "DEBIT" } }`. */
  words: z.partialRecord(z.enum(csv_fields), z.record(z.string(), z.string())).default({}),
  dates: z.enum(csv_date_forms).default('YYYY-MM-DD'),
  /** `minor_units`: 1234 is 12.34 EUR. `decimal`: as written, with at most the decimals of the currency. */
  amounts: z.enum(['minor_units', 'decimal']).default('minor_units'),
  decimal_separator: z.enum(['.', ',']).default('.'),
  /**
   * The columns that together identify a clearing, in a file without transaction ids: the id is a
   * hash of them. Rows with equal values are one clearing.
   */
  id_columns: z.array(column).min(1).optional(),
  /** The column with the id of the file, the same in every row. Rows with other columns state none. */
  file_id_column: column.optional(),
  /** The last row, which states the number of records and the sum of their billing amounts. */
  trailer: z
    .strictObject({
      /** The column and the value by which the row is known. */
      column,
      value: z.string().min(1),
      count_column: column,
      sum_column: column,
    })
    .optional(),
});

/** How the CSV files of one sender are written. */
export type CsvProfile = z.output<typeof schema>;

/** A profile as it is written: what has a default may be absent. */
export type CsvProfileInput = z.input<typeof schema>;

/** Reads a profile, such as one of a JSON file. Throws `RangeError` with everything that is wrong. */
export function parseCsvProfile(value: unknown): CsvProfile {
  const parsed = schema.safeParse(value);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'the profile'}: ${message}`);
    throw new RangeError(`the CSV profile is invalid: ${problems.join('; ')}`);
  }
  const problems = problemsOf(parsed.data);
  if (problems.length > 0) {
    throw new RangeError(`the CSV profile ${parsed.data.name} is invalid: ${problems.join('; ')}`);
  }
  return parsed.data;
}

function problemsOf({ columns, constants, delimiter, decimal_separator, ...profile }: CsvProfile): readonly string[] {
  const fields = Object.values(columns);
  const has = (field: CsvField): boolean => fields.includes(field) || constants[field] !== undefined;
  const missing = required_fields.filter((field) => !has(field));
  const repeated = csv_fields.filter((field) => fields.filter((one) => one === field).length > 1);
  return [
    ...missing.map((field) => `no column and no constant is ${field}`),
    ...repeated.map((field) => `two columns are ${field}`),
    ...(has('card_number') || has('vcn_id') ? [] : ['no column is card_number or vcn_id']),
    ...(fields.includes('network_financial_transaction_id') || profile.id_columns !== undefined
      ? []
      : ['no column is network_financial_transaction_id, and there are no id_columns']),
    // Each record after the first would be a duplicate.
    ...(constants.network_financial_transaction_id === undefined
      ? []
      : ['network_financial_transaction_id must be a column, not a constant']),
    ...(profile.trailer !== undefined && !fields.includes('billing_amount')
      ? ['a trailer needs a column that is billing_amount']
      : []),
    ...(profile.amounts === 'decimal' && delimiter === decimal_separator && profile.quote === null
      ? ['without quotes, delimiter and decimal_separator must differ']
      : []),
  ];
}

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

const own_columns = Object.fromEntries(csv_fields.map((field) => [field, field]));

/** The columns are the fields of a clearing. There is no trailer, so a shortened file looks whole. */
export const default_profile: CsvProfile = parseCsvProfile({
  name: 'default',
  columns: own_columns,
});

/** The same with a file id and a last row that states the totals. */
export const totals_profile: CsvProfile = parseCsvProfile({
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
