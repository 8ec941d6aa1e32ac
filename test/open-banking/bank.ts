import { createCompany } from '@tallystick/access';
import type { BankUser } from '@tallystick/accounts';
import { openAccount } from '@tallystick/accounts';
import { money, Temporal } from '@tallystick/kernel';
import type { Persistence, Tx } from '@tallystick/mikro-orm';

/** The accounts of the company. */
export const deposit = '1000000001';
export const card = 'ceid2000000001';
/** An account that no user may view. */
export const hidden = '1000000002';
/** An account of another company. */
export const foreign = '3000000001';

/** The booked transactions of the deposit account within the last 13 months, one each day. */
export const transaction_count = 250;

/** The user that authorises consents. May do everything. */
export const user_id = 'alex';
export const frozen_user_id = 'blair';

/**
 * Fills the bank: two companies, users, accounts, and something of every resource on the deposit
 * account.
 */
export async function seedBank({ unitOfWork }: Persistence, company_id: number, now: string): Promise<void> {
  const now_ms = Temporal.Instant.from(now).epochMilliseconds;
  const today = Temporal.Instant.from(now).toZonedDateTimeISO('UTC').toPlainDate();
  await unitOfWork.run(async (tx) => {
    const call = { actor: 'job:test', request_id: null, now_ms };
    const other = await createCompany(tx, call, { name: 'Other company', customer_number: 'OTHER' });
    for (const id of [company_id, other.id]) {
      await tx.bank.putCompany({ company_id: id, eligible_services: ['aisp', 'cbpii'], is_configured: true });
    }
    const accounts = new Map<string, number>();
    for (const [number, kind, owner] of [
      [deposit, 'deposit', company_id],
      [card, 'card', company_id],
      [hidden, 'deposit', company_id],
      [foreign, 'deposit', other.id],
    ] as const) {
      const account = await openAccount(tx, call, { company_id: owner, number, currency: 'USD', kind, name: number });
      accounts.set(number, account.id);
    }
    await tx.bank.putUsers([
      userOf(company_id, now_ms, {}),
      userOf(company_id, now_ms, { user_id: frozen_user_id, status: 'frozen' }),
    ]);
    await fill(tx, accounts.get(deposit)!, now_ms, today);
    await tx.bank.putBalances([
      {
        account_id: accounts.get(card)!,
        booked: money(-50_00),
        available: money(0),
        credit_line: money(1_000_00),
        as_of_ms: now_ms,
      },
    ]);
  });
}

/** A user that may do everything that `otherwise` does not take away. */
export function userOf(company_id: number, now_ms: number, otherwise: Partial<BankUser>): BankUser {
  return {
    user_id,
    company_id,
    name: 'Alex Example',
    status: 'active',
    eligible_services: ['aisp', 'cbpii'],
    configured_services: ['aisp', 'cbpii'],
    may_view_direct_debits: true,
    viewable_accounts: [deposit, card],
    updated_at_ms: now_ms,
    ...otherwise,
  };
}

async function fill(tx: Tx, account_id: number, now_ms: number, today: Temporal.PlainDate): Promise<void> {
  const creditor = {
    creditor_scheme_name: 'UK.OBIE.IBAN',
    creditor_identification: 'GB33BUKB20201555555555',
    creditor_name: 'Landlord',
  };
  await tx.bank.putProfiles([
    {
      account_id,
      scheme_name: 'UK.OBIE.IBAN',
      identification: 'GB29NWBK60161331926819',
      secondary_identification: null,
      holder_name: 'Sandbox company',
      nickname: 'Main',
      description: null,
      account_type: 'Business',
      deposit_sub_type: 'CurrentAccount',
      opened_on: '2020-01-01',
      status: 'Enabled',
      status_updated_at_ms: now_ms,
      servicer_scheme_name: 'UK.OBIE.BICFI',
      servicer_identification: 'NWBKGB2L',
    },
  ]);
  await tx.bank.putBalances([
    {
      account_id,
      booked: money(1_234_56),
      available: money(1_000_00),
      credit_line: null,
      as_of_ms: now_ms,
    },
  ]);
  const codes = ['171', '195', '399', '495', '501', '595', '698', '821'];
  await tx.bank.recordShown(
    Array.from({ length: transaction_count }, (_, day) => ({
      account_id,
      bank_reference: `T${day}`,
      booking_date: today.subtract({ days: day }).toString(),
      value_date: today.subtract({ days: day }).toString(),
      amount: money(day % 2 === 0 ? -(100 + day) : 100 + day),
      bai_code: codes[day % codes.length]!,
      text: `Transaction ${day}`,
      acquirer_reference: null,
      balance_after: money(1_000_00 + day),
      merchant_name: day % 3 === 0 ? 'Corner Grocer' : null,
      merchant_category_code: day % 3 === 0 ? '5411' : null,
      recorded_at_ms: now_ms,
    })),
  );
  const mandate = {
    account_id,
    frequency: 'Monthly',
    previous_payment_on: '2030-02-01',
    previous_payment_amount: money(20_00),
    updated_at_ms: now_ms,
  };
  await tx.bank.putDirectDebits([
    { ...mandate, mandate_reference: 'M-1', status: 'active', name: 'Energy Ltd' },
    { ...mandate, mandate_reference: 'M-2', status: 'inactive', name: 'Old Gym' },
  ]);
  const order = {
    ...creditor,
    account_id,
    frequency: 'EvryDay',
    payment_reference: 'Rent',
    first_payment_on: '2029-01-01',
    first_payment_amount: money(500_00),
    last_payment_on: null,
    last_payment_amount: null,
    final_payment_on: null,
    final_payment_amount: null,
    number_of_payments: null,
    updated_at_ms: now_ms,
  };
  const next = { next_payment_on: today.add({ days: 10 }).toString(), next_payment_amount: money(500_00) };
  const past = { next_payment_on: today.subtract({ days: 10 }).toString(), next_payment_amount: money(500_00) };
  await tx.bank.putStandingOrders([
    { ...order, ...next, reference: 'S-1', status: 'active' },
    { ...order, ...past, reference: 'S-2', status: 'active' },
  ]);
  const payment = {
    ...creditor,
    account_id,
    scheduled_type: 'Execution',
    amount: money(75_00),
    payment_reference: 'Tax',
    updated_at_ms: now_ms,
  } as const;
  await tx.bank.putScheduledPayments([
    { ...payment, reference: 'P-1', status: 'pending', scheduled_on: today.add({ days: 3 }).toString() },
    { ...payment, reference: 'P-2', status: 'executed', scheduled_on: today.subtract({ days: 3 }).toString() },
  ]);
}
