import { Temporal } from '@tallystick/kernel';

/** A calendar date: whole, or by the day of the year, or by the week, or a month or a year. */
const date_forms: readonly {
  readonly form: RegExp;
  read(parts: Readonly<Record<string, string>>): Temporal.PlainDate;
}[] = [
  {
    form: /^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)$|^(?<basic_year>\d{4})(?<basic_month>\d\d)(?<basic_day>\d\d)$/,
    read: ({ year, month, day, basic_year, basic_month, basic_day }) =>
      dateOf(Number(year ?? basic_year), Number(month ?? basic_month), Number(day ?? basic_day)),
  },
  {
    form: /^(?<year>\d{4})-?(?<day_of_year>\d{3})$/,
    read: ({ year, day_of_year }) => dayOfYear(Number(year), Number(day_of_year)),
  },
  {
    form: /^(?<year>\d{4})-W(?<week>\d\d)-(?<weekday>[1-7])$|^(?<basic_year>\d{4})W(?<basic_week>\d\d)(?<basic_weekday>[1-7])$/,
    read: ({ year, week, weekday, basic_year, basic_week, basic_weekday }) =>
      dayOfWeek(Number(year ?? basic_year), Number(week ?? basic_week), Number(weekday ?? basic_weekday)),
  },
  { form: /^(?<year>\d{4})-(?<month>\d\d)$/, read: ({ year, month }) => dateOf(Number(year), Number(month), 1) },
  { form: /^(?<year>\d{4})$/, read: ({ year }) => dateOf(Number(year), 1, 1) },
];

const time_form =
  /^(?<hour>\d\d)(?::?(?<minute>\d\d)(?::?(?<second>\d\d))?)?(?:[.,](?<fraction>\d{1,30}))?(?:[Zz]|[+\- ]\d\d(?::?\d\d)?)?$/;

const text_length_max = 100;

/** The wording of what `parseIsoDateTime` allows. */
export const iso_date_time_expected = 'an ISO 8601 date, or date and time, such as 2026-05-20 or 2026-05-20T10:43:07';

/**
 * Reads a date and time of a query in any form of ISO 8601. A date alone is midnight, and a zone is
 * ignored (decision: consents). A space stands for the plus sign of a zone, as a URL has it. Null
 * for other text, and for a date or a time that does not exist.
 */
export function parseIsoDateTime(text: string): Temporal.PlainDateTime | null {
  if (text.length > text_length_max) return null;
  const [date_text = '', time_text] = text.split(/[Tt](.*)/s);
  try {
    const date = parseDate(date_text);
    if (date === null) return null;
    return time_text === undefined ? date.toPlainDateTime() : addTime(date, time_text);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function parseDate(text: string): Temporal.PlainDate | null {
  for (const { form, read } of date_forms) {
    const parts = form.exec(text)?.groups;
    if (parts !== undefined) return read(parts);
  }
  return null;
}

function addTime(date: Temporal.PlainDate, text: string): Temporal.PlainDateTime | null {
  const parts = time_form.exec(text)?.groups;
  if (parts === undefined) return null;
  const [hour, minute, second] = [Number(parts.hour), Number(parts.minute ?? 0), Number(parts.second ?? 0)];
  // A fraction is one of the smallest part; only that of a second is known in practice.
  if (parts.fraction !== undefined && parts.second === undefined) return null;
  const nanosecond = Number((parts.fraction ?? '').padEnd(9, '0').slice(0, 9));
  // 24:00 is the midnight at the end of the day.
  if (hour === 24) return minute + second + nanosecond === 0 ? date.add({ days: 1 }).toPlainDateTime() : null;
  // A leap second is read as the second before it, as Temporal does.
  const time = Temporal.PlainTime.from({ hour, minute, second: second === 60 ? 59 : second }, { overflow: 'reject' });
  return date.toPlainDateTime(time.add({ nanoseconds: nanosecond }));
}

function dateOf(year: number, month: number, day: number): Temporal.PlainDate {
  return Temporal.PlainDate.from({ year, month, day }, { overflow: 'reject' });
}

function dayOfYear(year: number, day: number): Temporal.PlainDate {
  const first = dateOf(year, 1, 1);
  if (day < 1 || day > first.daysInYear) throw new RangeError('no such day');
  return first.add({ days: day - 1 });
}

function dayOfWeek(year: number, week: number, weekday: number): Temporal.PlainDate {
  // The fourth of January is always in week 1.
  const fourth = dateOf(year, 1, 4);
  const date = fourth.add({ days: (week - 1) * 7 + weekday - fourth.dayOfWeek });
  if (date.yearOfWeek !== year || date.weekOfYear !== week) throw new RangeError('no such week');
  return date;
}
