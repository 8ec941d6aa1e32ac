/** Which way a booking moves the balance of its account. */
export type BookingSign = 'credit' | 'debit';

/** A type of booked transactions. */
export interface BaiCode {
  /** Three digits. */
  readonly code: string;
  readonly name: string;
  readonly sign: BookingSign;
}

/**
 * The codes of the service (service specification 4.6), by their digits. The sign of a code below
 * 700, and of 760 and 964, is that of the BAI ranges. Those of the codes 821 to 837, which are the
 * bank's own, follow from their names: what is returned unpaid to somebody else, or could not be
 * applied, comes back to the account.
 */
export const bai_codes: ReadonlyMap<string, BaiCode> = new Map(
  [
    ...withSign('credit', {
      171: 'Loan Disbursement',
      174: 'Bank Giro Credit',
      195: 'Incoming Payment (UK)',
      206: 'Internal Transfer Credit',
      208: 'Incoming Payment (SWIFT)',
      252: 'Debit Reversal',
      266: 'Return Item Credit',
      295: 'ATM Credit',
      354: 'Interest Credit',
      359: 'Interest Adjustment Credit',
      369: 'Clearing Settlement Credit',
      391: 'Debit Card Network Credit',
      398: 'Service Fee Reversal',
      399: 'Miscellaneous Credit',
      721: 'Interest Paid (Credit on Loan)',
      722: 'Capital Repayment (Credit on Loan)',
      726: 'Loan Fees (Credit on Loan)',
      822: 'Debit Card Credit',
      824: 'Debit Card Refund',
      826: 'Debit Card Fee Refund',
      827: 'Incoming SEPA Payments',
      829: 'Incoming BACS Payment',
      835: 'Unpaid Cheque Outward',
      836: 'Unpaid D/D',
      837: 'Unapplied BACS',
    }),
    ...withSign('debit', {
      475: 'Paid Cheque',
      481: 'Loan Payment',
      495: 'Outgoing Payment (UK)',
      501: 'Incoming Direct Debit',
      506: 'Internal Transfer Debit',
      508: 'Outgoing Payment (SWIFT)',
      552: 'Credit Reversal',
      555: 'Unpaid Cheque Inward',
      566: 'Return Item Debit',
      595: 'ATM Withdrawal',
      654: 'Interest Charged',
      659: 'Interest Adjustment Debit',
      669: 'Clearing Settlement Debit',
      691: 'Debit Card Network Fee',
      698: 'Service Fee',
      699: 'Miscellaneous Debit',
      760: 'Loan Drawdown (Debit on Loan)',
      821: 'Debit Card Purchase',
      825: 'Debit Card Foreign Trx Fee',
      828: 'Outgoing SEPA Payments',
      831: 'Outgoing BACS File',
      964: 'Interest Withheld',
    }),
  ].map((one) => [one.code, one]),
);

/**
 * The sign of a booking by its code: of the codes above, else of the BAI ranges. Null for a code
 * whose sign is not known: one of a status, of all credits (100) or debits (400), a text without an
 * amount (890), or a bank's own.
 */
export function bookingSignOf(code: string): BookingSign | null {
  const known = bai_codes.get(code);
  if (known !== undefined) return known.sign;
  if (!/^\d{3}$/.test(code)) return null;
  return ranges.find(({ from, to }) => code >= from && code <= to)?.sign ?? null;
}

/**
 * What the BAI ranges say of codes that are not in the list: transactions, of loans, and
 * customized.
 */
const ranges: readonly { readonly from: string; readonly to: string; readonly sign: BookingSign }[] = [
  { from: '101', to: '399', sign: 'credit' },
  { from: '401', to: '699', sign: 'debit' },
  { from: '720', to: '759', sign: 'credit' },
  { from: '760', to: '799', sign: 'debit' },
  { from: '920', to: '959', sign: 'credit' },
  { from: '960', to: '999', sign: 'debit' },
];

function withSign(sign: BookingSign, names: Readonly<Record<number, string>>): readonly BaiCode[] {
  return Object.entries(names).map(([code, name]) => ({ code, name, sign }));
}
