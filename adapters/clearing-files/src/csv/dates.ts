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

/** Reads a date as YYYY-MM-DD. Null: the text has another form, or the calendar has no such day. */
export function readDay(text: string, form: DateForm): string | null {
  if (text.length !== form.length) return null;
  const part = (letter: string): string => {
    const start = form.indexOf(letter);
    return text.slice(start, form.lastIndexOf(letter) + 1);
  };
  const day = `${part('Y')}-${part('M')}-${part('D')}`;
  return showDay(day, form) === text && isDay(day) ? day : null;
}

/** Writes a date (YYYY-MM-DD) in the form. */
export function showDay(day: string, form: DateForm): string {
  return form.replace('YYYY', day.slice(0, 4)).replace('MM', day.slice(5, 7)).replace('DD', day.slice(8, 10));
}
