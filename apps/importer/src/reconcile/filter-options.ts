import { isDay, Refusal } from '@tallystick/kernel';
import { type ParsedWords, UsageError } from '@tallystick/server';

/** The options that set filters, by the filter; `--from` and `--to` are those of `dates`. */
export type FilterOptions = Readonly<Record<string, string>>;

/** The filters that the options set, in the form of the filters of the interface. */
export function filtersFrom(given: ParsedWords, options: FilterOptions): readonly (readonly [string, string])[] {
  return Object.entries(options).flatMap(([option, filter]) => {
    const value = option === 'dates' ? rangeOf(given) : given.values.get(option);
    return value === undefined ? [] : [[filter, value] as const];
  });
}

/** Reads filters. Throws a `UsageError` that names the options of those that are wrong. */
export function readByOptions<Filter>(read: () => Filter, names: Readonly<Record<string, string>> = {}): Filter {
  try {
    return read();
  } catch (error) {
    return namedByOption((path) => names[path] ?? options_of_filters[path] ?? `--${path}`)(error);
  }
}

/** Throws a `UsageError` that names the options of invalid fields; any other error as it is. */
export function namedByOption(optionOf: (path: string) => string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof Refusal) || error.fields.length === 0) throw error;
    throw new UsageError(error.fields.map(({ path, message }) => `${optionOf(path)} ${message}`).join('\n'));
  };
}

/** The options that differ in name from the filters that they set. */
const options_of_filters: Readonly<Record<string, string>> = {
  vcn_id: '--card',
  merchant_name: '--merchant',
  age_days: '--age',
  account_id: '--account',
  bai_code: '--code',
  settlement_date: '--from to --to',
  booking_date: '--from to --to',
};

/** `--from` and `--to` as a range. */
function rangeOf({ values }: ParsedWords): string | undefined {
  const [from, to] = [values.get('from'), values.get('to')];
  for (const [option, date] of Object.entries({ from, to })) {
    if (date === undefined || isDay(date)) continue;
    throw new UsageError(`--${option} must be a date, YYYY-MM-DD, not ${JSON.stringify(date)}`);
  }
  return from === undefined && to === undefined ? undefined : `[${from ?? ''},${to ?? ''}]`;
}
