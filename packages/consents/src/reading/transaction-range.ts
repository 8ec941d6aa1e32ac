import { dayAt, Temporal } from '@tallystick/kernel';
import type { AccountAccessConsent } from '../consent/consent.ts';
import { instantOf } from '../consent/date-time.ts';
import { type OpenBankingProblem, OpenBankingRefusal } from '../open-banking-refusal.ts';
import { iso_date_time_expected, parseIsoDateTime } from './iso-date-time.ts';

/** The longest range of one request, the depth of the history, and how far the future is served. */
const range_months_max = 13;
const history_years_max = 3;
const future_days_max = 5;

/** Booking dates, both included, YYYY-MM-DD. */
export interface BookingRange {
  readonly from: string;
  readonly to: string;
}

/** What a third party asks of the transactions: `fromBookingDateTime` and `toBookingDateTime`. */
export interface TransactionQuery {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

interface Dates {
  readonly from: Temporal.PlainDate;
  readonly to: Temporal.PlainDate;
}

/**
 * The booking dates to serve: those of the seven rules (service specification 4.5) that also lie
 * within the consent. Null when no date does. A transaction is booked at midnight (UTC) of its booking
 * date. Refuses `UK.OBIE.Field.InvalidDate` a date-time that is none, and a from after the to.
 */
export function transactionRange(
  query: TransactionQuery,
  consent: Pick<AccountAccessConsent, 'transaction_from_date_time' | 'transaction_to_date_time'>,
  now_ms: number,
): BookingRange | null {
  const { from, to } = readQuery(query);
  const today = Temporal.PlainDate.from(dayAt(now_ms));
  const last = to === null ? null : withinFuture(to.toPlainDate(), today);
  const asked = askedRange(from === null ? null : firstDateFrom(from), last, today);
  const within = withinConsent(withinHistory(asked, today), consent);
  const is_empty = Temporal.PlainDate.compare(within.from, within.to) > 0;
  return is_empty ? null : { from: within.from.toString(), to: within.to.toString() };
}

/** The range before its history is cut. */
function askedRange(from: Temporal.PlainDate | null, to: Temporal.PlainDate | null, today: Temporal.PlainDate): Dates {
  if (from !== null && to !== null) return rangeOfBoth({ from, to });
  if (from !== null) return rangeFrom(from, today);
  if (to !== null) return rangeTo(to);
  return rangeOfNone(today);
}

/** Rules 1 and 2: the whole range, or the 13 months that end on the To date. */
function rangeOfBoth({ from, to }: Dates): Dates {
  return { from: later(from, to.subtract({ months: range_months_max })), to };
}

/** Rule 3: only the part within the last 3 years. */
function withinHistory({ from, to }: Dates, today: Temporal.PlainDate): Dates {
  return { from: later(from, today.subtract({ years: history_years_max })), to };
}

/**
 * Rule 4: the future only up to 5 days from today. It comes before rules 2 and 7, so that a To in
 * the far future has the newest 13 months (decision: consents).
 */
function withinFuture(to: Temporal.PlainDate, today: Temporal.PlainDate): Temporal.PlainDate {
  return earlier(to, today.add({ days: future_days_max }));
}

/** Rule 5: without dates, the last 13 months up to today. */
function rangeOfNone(today: Temporal.PlainDate): Dates {
  return { from: today.subtract({ months: range_months_max }), to: today };
}

/** Rule 6: 13 months that start at the From date. */
function rangeFrom(from: Temporal.PlainDate, today: Temporal.PlainDate): Dates {
  return { from, to: withinFuture(from.add({ months: range_months_max }), today) };
}

/** Rule 7: 13 months back from the To date. */
function rangeTo(to: Temporal.PlainDate): Dates {
  return { from: to.subtract({ months: range_months_max }), to };
}

/** The part that the consent grants, by the instants of its limits. */
function withinConsent(
  { from, to }: Dates,
  consent: Pick<AccountAccessConsent, 'transaction_from_date_time' | 'transaction_to_date_time'>,
): Dates {
  const { transaction_from_date_time: first, transaction_to_date_time: last } = consent;
  return {
    from: first === null ? from : later(from, firstDateFrom(utcOf(instantOf(first)))),
    to: last === null ? to : earlier(to, utcOf(instantOf(last)).toPlainDate()),
  };
}

function readQuery({ from, to }: TransactionQuery) {
  const problems: OpenBankingProblem[] = [];
  const read = (text: string | undefined, path: string): Temporal.PlainDateTime | null => {
    if (text === undefined) return null;
    const parsed = parseIsoDateTime(text);
    if (parsed === null) {
      problems.push({ code: 'UK.OBIE.Field.InvalidDate', path, message: `${path} must be ${iso_date_time_expected}` });
    }
    return parsed;
  };
  const dates = { from: read(from, 'fromBookingDateTime'), to: read(to, 'toBookingDateTime') };
  if (dates.from !== null && dates.to !== null && Temporal.PlainDateTime.compare(dates.from, dates.to) > 0) {
    const message = 'fromBookingDateTime must not be after toBookingDateTime';
    problems.push({ code: 'UK.OBIE.Field.InvalidDate', path: 'fromBookingDateTime', message });
  }
  const [first, ...others] = problems;
  if (first !== undefined) throw new OpenBankingRefusal('invalid', [first, ...others]);
  return dates;
}

/** The first date whose midnight is not before this time. */
function firstDateFrom(at: Temporal.PlainDateTime): Temporal.PlainDate {
  const date = at.toPlainDate();
  return at.equals(date.toPlainDateTime()) ? date : date.add({ days: 1 });
}

function utcOf(at_ms: number): Temporal.PlainDateTime {
  return Temporal.Instant.fromEpochMilliseconds(at_ms).toZonedDateTimeISO('UTC').toPlainDateTime();
}

function later(a: Temporal.PlainDate, b: Temporal.PlainDate): Temporal.PlainDate {
  return Temporal.PlainDate.compare(a, b) >= 0 ? a : b;
}

function earlier(a: Temporal.PlainDate, b: Temporal.PlainDate): Temporal.PlainDate {
  return Temporal.PlainDate.compare(a, b) <= 0 ? a : b;
}
