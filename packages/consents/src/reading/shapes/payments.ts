import type { BankAccount, Creditor, DirectDebit, ScheduledPayment, StandingOrder } from '@tallystick/accounts';
import type { Money } from '@tallystick/kernel';
import { maskedText, present, type ShownAmount, shortened, showAmount, showDay } from './amount.ts';
import { type ShownIdentification, showIdentification } from './identification.ts';

type Owner = Pick<BankAccount, 'number' | 'currency'>;

interface Detail {
  readonly detail: boolean;
}

/** An item of OBReadDirectDebit2. It has no detail-only fields. */
export function showDirectDebit({ number, currency }: Owner, mandate: DirectDebit): object {
  return present({
    AccountId: number,
    DirectDebitId: String(mandate.id),
    MandateIdentification: maskedText(mandate.mandate_reference, 35),
    DirectDebitStatusCode: mandate.status === 'active' ? 'Active' : 'Inactive',
    Name: maskedText(mandate.name, 70),
    PreviousPaymentDateTime: day(mandate.previous_payment_on),
    Frequency: mandate.frequency === null ? undefined : mandateFrequency(mandate.frequency),
    PreviousPaymentAmount: amount(mandate.previous_payment_amount, currency),
  });
}

/** OBStandingOrder6. `CreditorAccount` is detail-only. */
export function showStandingOrder({ number, currency }: Owner, order: StandingOrder, { detail }: Detail): object {
  return present({
    AccountId: number,
    StandingOrderId: String(order.id),
    Frequency: order.frequency,
    Reference: reference(order.payment_reference),
    FirstPaymentDateTime: day(order.first_payment_on),
    NextPaymentDateTime: day(order.next_payment_on),
    LastPaymentDateTime: day(order.last_payment_on),
    FinalPaymentDateTime: day(order.final_payment_on),
    NumberOfPayments: shortened(order.number_of_payments, 35),
    StandingOrderStatusCode: order.status === 'active' ? 'Active' : 'Inactive',
    FirstPaymentAmount: amount(order.first_payment_amount, currency),
    NextPaymentAmount: amount(order.next_payment_amount, currency),
    LastPaymentAmount: amount(order.last_payment_amount, currency),
    FinalPaymentAmount: amount(order.final_payment_amount, currency),
    CreditorAccount: detail ? creditor(order) : undefined,
  });
}

/** OBScheduledPayment3. `CreditorAccount` is detail-only. */
export function showScheduledPayment(
  { number, currency }: Owner,
  payment: ScheduledPayment,
  { detail }: Detail,
): object {
  return present({
    AccountId: number,
    ScheduledPaymentId: String(payment.id),
    ScheduledPaymentDateTime: showDay(payment.scheduled_on),
    ScheduledType: payment.scheduled_type,
    Reference: reference(payment.payment_reference),
    InstructedAmount: showAmount(payment.amount, currency),
    CreditorAccount: detail ? creditor(payment) : undefined,
  });
}

/** The frequencies of mandates that the standard names, under its namespace. */
const mandate_frequencies = [
  'Annual',
  'Daily',
  'Fortnightly',
  'HalfYearly',
  'Monthly',
  'NotKnown',
  'Quarterly',
  'Weekly',
];

/** In the namespace of the standard where it names the frequency, else as the bank names it. */
function mandateFrequency(frequency: string): string {
  return mandate_frequencies.includes(frequency) ? `UK.OBIE.${frequency}` : frequency;
}

function creditor({ creditor_scheme_name, creditor_identification, creditor_name }: Creditor): ShownIdentification {
  return showIdentification({
    scheme_name: creditor_scheme_name,
    identification: creditor_identification,
    name: creditor_name,
  });
}

function reference(text: string | null): string | undefined {
  return maskedText(text, 35);
}

function day(date: string | null): string | undefined {
  return date === null ? undefined : showDay(date);
}

function amount(value: Money | null, currency: string): ShownAmount | undefined {
  return value === null ? undefined : showAmount(value, currency);
}
