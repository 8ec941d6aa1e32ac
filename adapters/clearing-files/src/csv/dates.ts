import { isDay } from '@tallystick/kernel';

export const csv_date_forms = [
  'YYYY-MM-DD',
  'YYYYMMDD',
  'DD/MM/YYYY',
  'MM/DD/YYYY',
  'DD.MM.YYYY',
  'DD-MM-YYYY',
] as const;

type DateForm = (typeof csv_date_forms)[number];

/**
 * Reads a date as YYYY-MM-DD, also without the zeros before day and month (but for YYYYMMDD), and
 * before a time. Null: the text has another form, or the calendar has no such day.
 */
export function readDay(text: string, form: DateForm): string | null {
  const found = patterns[form].exec(text)?.groups;
  if (found === undefined) return null;
  const day = `${found.year}-${found.month!.padStart(2, '0')}-${found.day!.padStart(2, '0')}`;
  return isDay(day) ? day : null;
}

const patterns = Object.fromEntries(csv_date_forms.map((form) => [form, patternOf(form)])) as Record<DateForm, RegExp>;

function patternOf(form: DateForm): RegExp {
  const width = form === 'YYYYMMDD' ? '{2}' : '{1,2}';
  const pattern = form
    .replaceAll('.', '\\.')
    .replace('YYYY', '(?<year>\\d{4})')
    .replace('MM', `(?<month>\\d${width})`)
    .replace('DD', `(?<day>\\d${width})`);
  return new RegExp(`^${pattern}(?:[T ]+\\d{1,2}:.*)?$`);
}

/** Writes a date (YYYY-MM-DD) in the form. */
export function showDay(day: string, form: DateForm): string {
  return form.replace('YYYY', day.slice(0, 4)).replace('MM', day.slice(5, 7)).replace('DD', day.slice(8, 10));
}
