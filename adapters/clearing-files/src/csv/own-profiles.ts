import { csv_fields } from './fields.ts';
import { parseCsvProfile } from './parse-profile.ts';
import type { CsvProfile } from './profile.ts';

const own_columns = Object.fromEntries(csv_fields.map((field) => [field, field]));

/**
 * The columns are the fields of a clearing. There is no trailer, so a shortened file looks whole.
 */
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
