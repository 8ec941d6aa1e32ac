const month_days = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Whether the text is a calendar date, YYYY-MM-DD. The calendar has no year 0. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const [year, month, day] = [Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8))];
  const is_leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 && is_leap ? 29 : (month_days[month - 1] ?? 0);
  return year >= 1 && day >= 1 && day <= days;
}

/** The calendar date in UTC at an instant (epoch milliseconds), YYYY-MM-DD. */
export function dayAt(at_ms: number): string {
  return Temporal.Instant.fromEpochMilliseconds(at_ms).toZonedDateTimeISO('UTC').toPlainDate().toString();
}
