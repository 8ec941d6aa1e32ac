import type { Money } from '@tallystick/kernel';

/** A booked transaction as a statement or the bank reports it. */
export interface ReportedLine {
  /**
   * The bank's own reference; null when it has none. Several lines can have one: a payment and its
   * fee, or a booking and its return.
   */
  readonly bank_reference: string | null;
  /** YYYY-MM-DD. */
  readonly booking_date: string;
  /** YYYY-MM-DD. */
  readonly value_date: string;
  /** In the account's currency: credits positive, debits negative. */
  readonly amount: Money;
  /** Three digits (service specification 4.6). */
  readonly bai_code: string;
  /** Contains no card number. */
  readonly text: string;
  /** The acquirer reference, 17 or 23 digits; null when the line has none. */
  readonly acquirer_reference: string | null;
}

/**
 * How a line that the bank reported by itself stands beside the statements (docs/adr/0071):
 *
 * - `differs`: a statement covers its date and does not have it, so it does not count
 * - `kept`: it differs, and a person decided that it counts
 * - `frozen`: a closed period has it as it was, whatever a statement says
 */
export const line_standings = ['differs', 'kept', 'frozen'] as const;

export type LineStanding = (typeof line_standings)[number];

/**
 * A booked transaction of an account. With a reference of the bank it is unique by `ReferencedKey`,
 * and without one by statement and place (decision: statement lines). Of the lines that the bank
 * reported by themselves, an account has one for each reference.
 */
export interface StatementLine extends ReportedLine {
  readonly id: number;
  readonly account_id: number;
  readonly company_id: number;
  readonly currency: string;
  /** The statement that has it; null: the bank reported it by itself, and no statement has it. */
  readonly statement_id: number | null;
  /** Its place among the lines of that statement, from 1; null without a statement. */
  readonly place: number | null;
  /**
   * Its place, from 1, among the lines of its statement that have its reference, booking date,
   * amount and code. 1 without a statement.
   */
  readonly occurrence: number;
  /** The booked balance of the account after the line; null: not known. */
  readonly balance_after: Money | null;
  /** Null of a line of a statement, and while no statement covers its date. */
  readonly standing: LineStanding | null;
  readonly recorded_at_ms: number;
}

/** In what lines without a reference of the bank are compared. */
export type LineContent = Pick<StatementLine, 'booking_date' | 'amount' | 'bai_code'>;

/** A reference that the bank gave to lines of an account. */
export interface BankReference {
  readonly account_id: number;
  readonly bank_reference: string;
}

/** By what a line with a reference of the bank is known. */
export interface ReferencedKey extends BankReference, LineContent, Pick<StatementLine, 'occurrence'> {}

/** By what a line is known: as `ReferencedKey`, else by statement and place. */
export type LineKey = Omit<ReferencedKey, 'bank_reference'> &
  Pick<StatementLine, 'bank_reference' | 'statement_id' | 'place'>;

/** The BAI codes of purchases and credits on cards (decision: reconciliation). */
const purchase_line_codes = ['391', '691', '821', '822', '824'] as const;

/** The BAI codes of fees of card purchases, and their refunds. */
const fee_line_codes: readonly string[] = ['825', '826'];

/** The BAI codes of the lines that reconciliation matches with purchases. */
export const card_line_codes: readonly string[] = [...purchase_line_codes, ...fee_line_codes];

/** Whether reconciliation matches a line with purchases. */
export function isCardLine({ bai_code }: Pick<ReportedLine, 'bai_code'>): boolean {
  return card_line_codes.includes(bai_code);
}

/** Whether a card line is a fee, or the refund of one. */
export function isFeeLine({ bai_code }: Pick<ReportedLine, 'bai_code'>): boolean {
  return fee_line_codes.includes(bai_code);
}

/** The fields in which two versions of a line must agree. A text may have other white space. */
const compared_fields = ['booking_date', 'value_date', 'amount', 'bai_code'] as const;

/** Whether both are the same booked transaction. */
export function isSameLine(a: ReportedLine, b: ReportedLine): boolean {
  return compared_fields.every((field) => a[field] === b[field]);
}

const whole = /^(?:\d{17}|\d{23})$/;
const within = /(?<!\d)(?:\d{17}|\d{23})(?!\d)/;

/** Whether the text is an acquirer reference: 17 or 23 digits (decision: statement lines). */
export function isAcquirerReference(text: string): boolean {
  return whole.test(text);
}

/** The first number of 17 or 23 digits in the text; null when there is none. */
export function acquirerReferenceIn(text: string): string | null {
  return within.exec(text)?.[0] ?? null;
}
