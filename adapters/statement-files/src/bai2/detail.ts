import { acquirerReferenceIn, bookingSignOf, isAcquirerReference, type ReportedLine } from '@tallystick/accounts';
import { money } from '@tallystick/kernel';
import { oneLine, referenceOf } from '../stated-text.ts';
import { amountOf, readFunds } from './fields.ts';
import { type LogicalRecord, refuse } from './logical-record.ts';

/** The code of a detail that has a text and no money. */
const non_monetary = '890';

/** What a detail record (16) states. */
export interface StatedDetail {
  /** Null for a text without money. */
  readonly line: ReportedLine | null;
  /** The amount as the control totals count it: without a sign. */
  readonly sum: bigint;
}

/** Reads a detail record of a statement. The sign of its amount is that of its type code. */
export function readDetail(record: LogicalRecord, as_of: string): StatedDetail {
  const reader = record.reader();
  const next = (): string | null => reader.next();
  const [code, amount_text] = [next() ?? '', next() ?? ''];
  if (!/^\d{3}$/.test(code)) refuse(record, 'type_code_malformed', 'must have a type code of three digits');
  if (code === non_monetary && /^0*$/.test(amount_text)) return { line: null, sum: 0n };
  const amount = /^\d+$/.test(amount_text) ? amountOf(amount_text) : null;
  if (amount === null) {
    refuse(record, 'amount_malformed', 'must have an amount of digits without a sign, which the type code states');
  }
  const sign = bookingSignOf(code);
  if (sign === null) {
    refuse(record, 'type_code_unknown', `has the type code ${code}, of which it is not known whether it is a debit`);
  }
  const funds = readFunds(next);
  if (typeof funds === 'string') refuse(record, 'funds_malformed', funds);
  const bank_reference = referenceOf(next() ?? '');
  const customer_reference = next() ?? '';
  const stated = oneLine([reader.rest().join(' ')]);
  const is_reference = isAcquirerReference(customer_reference);
  const other = is_reference ? null : referenceOf(customer_reference);
  return {
    line: {
      bank_reference,
      booking_date: as_of,
      value_date: funds.value_date ?? as_of,
      amount: money(sign === 'debit' ? -amount : amount),
      bai_code: code,
      text: other === null || stated.includes(other) ? stated : oneLine([`${stated} ${other}`]),
      acquirer_reference: is_reference ? customer_reference : acquirerReferenceIn(stated),
    },
    sum: BigInt(amount),
  };
}
