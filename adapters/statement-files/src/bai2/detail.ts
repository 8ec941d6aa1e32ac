import { acquirerReferenceIn, bookingSignOf, isAcquirerReference, type ReportedLine } from '@tallystick/accounts';
import { money } from '@tallystick/kernel';
import { oneLine, referenceOf } from '../stated-text.ts';
import { amountOf, readFunds } from './fields.ts';
import type { LogicalRecord } from './logical-record.ts';

/** The code of a detail that has a text and no money. */
const non_monetary = '890';

/** What a detail record (16) states. */
export type StatedDetail =
  | { readonly kind: 'line'; readonly line: ReportedLine; readonly unread: readonly string[]; readonly sum: bigint }
  /** A text, or a change of availability, without money. */
  | { readonly kind: 'other'; readonly type: string; readonly sum: bigint }
  /** It cannot be read. `sum` is null when its amount cannot. */
  | { readonly kind: 'bad'; readonly code: string; readonly reason: string; readonly sum: bigint | null };

/** Reads a detail record of a statement. The sign of its amount is that of its type code. */
export function readDetail(record: LogicalRecord, as_of: string): StatedDetail {
  const reader = record.reader();
  const first = reader.next() ?? '';
  // Some banks write an empty field before the type code.
  const code = first === '' ? (reader.next() ?? '') : first;
  const amount_text = reader.next() ?? '';
  if (!/^\d{3}$/.test(code)) return bad('type_code_malformed', `has "${code}" instead of a type code of three digits`);
  if (amount_text === '' || (code === non_monetary && /^0+$/.test(amount_text))) {
    return { kind: 'other', type: `16/${code}`, sum: 0n };
  }
  const amount = amountOf(amount_text);
  if (amount === null) return bad('amount_malformed', `has "${amount_text}" instead of an amount of digits`);
  const sum = BigInt(amount);
  if (amount < 0) {
    return bad('amount_malformed', `has ${amount_text}, though its type code ${code} states the sign`, sum);
  }
  const sign = bookingSignOf(code);
  if (sign === null) {
    const reason = `has ${amount} with the type code ${code}, of which it is not known whether it is a debit`;
    return bad('type_code_unknown', reason, sum);
  }
  const funds = readFunds(reader);
  if (typeof funds === 'string') return bad('funds_malformed', funds, sum);
  const bank_reference = referenceOf(reader.next() ?? '');
  const customer_reference = reader.next() ?? '';
  const stated = oneLine([reader.rest().join(' ')]);
  const is_reference = isAcquirerReference(customer_reference);
  const other = is_reference ? null : referenceOf(customer_reference);
  return {
    kind: 'line',
    line: {
      bank_reference,
      booking_date: as_of,
      value_date: funds.value_date ?? as_of,
      amount: money(sign === 'debit' ? -amount : amount),
      bai_code: code,
      text: other === null || stated.includes(other) ? stated : oneLine([`${stated} ${other}`]),
      acquirer_reference: is_reference ? customer_reference : acquirerReferenceIn(stated),
    },
    unread: funds.value_date === undefined ? ['value_date'] : [],
    sum,
  };
}

function bad(code: string, reason: string, sum: bigint | null = null): StatedDetail {
  return { kind: 'bad', code, reason, sum };
}
