import { clearing_cycles } from '@tallystick/cards';
import { currencyOfCode, currencyOfNumber } from '../currencies.ts';
import { readDay } from './dates.ts';
import { type CsvField, type CsvProfile, csv_fields, required_fields } from './profile.ts';

/** Why no file can be read by the profile: what it lacks, and what in it contradicts itself. */
export function problemsOf(profile: CsvProfile): readonly string[] {
  return [
    ...fieldProblems(profile),
    ...trailerProblems(profile),
    ...separatorProblems(profile),
    ...valueProblems(profile),
  ];
}

function fieldProblems({ columns, constants, id_columns = [] }: CsvProfile): readonly string[] {
  const fields = Object.values(columns);
  const has = (field: CsvField): boolean => fields.includes(field) || constants[field] !== undefined;
  const missing = required_fields.filter((field) => !has(field));
  const repeated = csv_fields.filter((field) => fields.filter((one) => one === field).length > 1);
  return [
    ...missing.map((field) => `no column and no constant is ${field}`),
    ...repeated.map((field) => `two columns are ${field}`),
    ...(has('card_number') || has('vcn_id') ? [] : ['no column is card_number or vcn_id']),
    // It would name only the first record.
    ...(constants.network_financial_transaction_id === undefined
      ? []
      : ['network_financial_transaction_id must be a column, not a constant']),
    ...(new Set(id_columns).size === id_columns.length ? [] : ['id_columns names a column twice']),
  ];
}

function trailerProblems({ columns, trailer, file_id_column }: CsvProfile): readonly string[] {
  if (trailer === undefined) return [];
  const its_columns = [trailer.column, trailer.count_column, trailer.sum_column];
  return [
    ...(Object.values(columns).includes('billing_amount') ? [] : ['a trailer needs a column that is billing_amount']),
    ...(new Set(its_columns).size === its_columns.length
      ? []
      : ['column, count_column and sum_column of the trailer must be three columns']),
    // The trailer has the id of the file in this column, as each row.
    ...(file_id_column !== undefined && its_columns.includes(file_id_column)
      ? ['file_id_column must be no column of the trailer']
      : []),
  ];
}

function separatorProblems(profile: CsvProfile): readonly string[] {
  const { columns, delimiter, quote, dates, amounts, decimal_separator, id_columns, file_id_column, trailer } = profile;
  const names = [
    ...Object.keys(columns),
    ...(id_columns ?? []),
    ...[file_id_column, trailer?.column, trailer?.count_column, trailer?.sum_column].filter((one) => one !== undefined),
  ];
  return [
    ...(delimiter === quote ? ['delimiter and quote must differ'] : []),
    ...(names.some((name) => /[\r\n]/.test(name)) ? ['the name of a column must have no line break'] : []),
    ...(quote !== null
      ? []
      : [
          ...(names.some((name) => name.includes(delimiter))
            ? ['without quotes, the name of a column must not contain the delimiter']
            : []),
          ...(dates.includes(delimiter) ? [`without quotes, the delimiter cannot be in dates, ${dates}`] : []),
          ...(amounts === 'decimal' && delimiter === decimal_separator
            ? ['without quotes, delimiter and decimal_separator must differ']
            : []),
        ]),
  ];
}

/** Values that every record would have, or that a word stands for, and that no record can have. */
function valueProblems({ constants, words, dates }: CsvProfile): readonly string[] {
  const constant_problems = csv_fields.flatMap((field) => {
    const problem = valueProblem(field, constants[field] ?? null, dates);
    return problem === null ? [] : [`constants.${field}: ${problem}`];
  });
  const word_problems = csv_fields.flatMap((field) =>
    Object.entries(words[field] ?? {}).flatMap(([word, value]) => {
      const problem = valueProblem(field, value, dates);
      return problem === null ? [] : [`words.${field}.${word}: ${problem}`];
    }),
  );
  return [...constant_problems, ...word_problems];
}

function valueProblem(field: CsvField, value: string | null, dates: CsvProfile['dates']): string | null {
  if (value === null) return null;
  switch (field) {
    case 'clearing_type':
      return ['DEBIT', 'CREDIT'].includes(value) ? null : 'must be DEBIT or CREDIT';
    case 'cycle':
      return clearing_cycles.some((cycle) => cycle === value) ? null : `must be one of ${clearing_cycles.join(', ')}`;
    case 'partial':
      return ['true', 'false'].includes(value) ? null : 'must be true or false';
    case 'billing_currency':
    case 'merchant_currency':
      return (currencyOfCode(value) ?? currencyOfNumber(value)) === null ? 'must be a currency of ISO 4217' : null;
    case 'settlement_date':
    case 'authorization_date':
      return readDay(value, dates) === null ? `must be a date of the calendar, as ${dates}` : null;
    case 'vcn_id':
      return /^\d{1,16}$/.test(value) ? null : 'must be the id of a card, 1 to 16 digits';
    // Neither a profile nor the hash of its settings is encrypted.
    case 'card_number':
      return /\d{12}/.test(value) ? 'must be no number of a card: name the card by vcn_id' : null;
    default:
      return null;
  }
}
