import type { ClearingFormat } from '@tallystick/imports';
import { cdf3 } from './cdf3/cdf3.ts';
import { csvFormat } from './csv/csv.ts';
import { ipm } from './ipm/ipm.ts';
import { vcf4 } from './vcf4/vcf4.ts';

export { type Cdf3Settings, createCdf3 } from './cdf3/cdf3.ts';
export { csvFormat } from './csv/csv.ts';
export { csv_date_forms } from './csv/dates.ts';
export { parseCsvProfile, parseCsvProfileText } from './csv/parse-profile.ts';
export type { CsvProfile, CsvProfileInput } from './csv/profile.ts';
export { type CsvField, csv_fields } from './csv/profile.ts';
export { tableSource } from './table/table-source.ts';

/** The formats of this adapter, in the order in which a file is tried for them. */
export const clearing_formats: readonly ClearingFormat[] = [cdf3, ipm, vcf4, csvFormat()];
