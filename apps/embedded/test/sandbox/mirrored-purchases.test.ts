import assert from 'node:assert/strict';
import { it } from 'node:test';
import { balanceMaxOf } from '@tallystick/accounts';
import type { Clearing } from '@tallystick/cards';
import { fixedClock, money } from '@tallystick/kernel';
import { memoryPersistence } from '@tallystick/memory';
import { mirrorPurchases } from '../../src/sandbox/mirrored-purchases.ts';

const now_ms = Date.UTC(2030, 0, 31, 12);

const account_fields = {
  number: 'ceid2000000001',
  currency: 'USD',
  kind: 'card',
  name: null,
  created_at_ms: 0,
  first_statement: null,
  last_statement: null,
} as const;

function clearingOf(id: number, clearing_type: 'DEBIT' | 'CREDIT', amount: number): Clearing {
  return {
    id,
    clearing_type,
    billing_amount: money(amount),
    billing_currency: 'USD',
    settlement_date: '2030-01-31',
    acquirer_reference_data: null,
    mcc: null,
    details: {},
  } as Partial<Clearing> as Clearing;
}

it('a cleared purchase after which the balance cannot be shown has no balance, and the next one has it again', async () => {
  const { unitOfWork } = memoryPersistence({ clock: fixedClock(now_ms) });
  const max = balanceMaxOf('USD');
  const { account_id, company_id } = await unitOfWork.run(async (tx) => {
    const company = await tx.companies.insert({ name: 'Example', customer_number: '1' } as never);
    const account = await tx.accounts.insert({ ...account_fields, company_id: company.id });
    const debt = money(-max);
    const balance = { account_id: account.id, booked: debt, available: debt, credit_line: null, as_of_ms: now_ms };
    await tx.bank.putBalances([balance]);
    return { account_id: account.id, company_id: company.id };
  });
  // The balance of the account ends within what can be shown, and passes what cannot.
  const clearings = [clearingOf(1, 'DEBIT', 2_500), clearingOf(2, 'CREDIT', 3_000)];
  const arriving: typeof unitOfWork = {
    read: (work) => unitOfWork.read(work),
    run: (work) =>
      unitOfWork.run((tx) =>
        work({
          ...tx,
          cards: { ...tx.cards, findClearings: async () => clearings },
          reconciliation: {
            ...tx.reconciliation,
            takeArrivals: async () => ({ records: clearings.map(({ id }) => ({ kind: 'clearing', id })), rows: 2 }),
          },
        }),
      ),
  };
  await mirrorPurchases(arriving, () => now_ms).run((tx) => tx.reconciliation.takeArrivals(company_id, 10));
  const shown = await unitOfWork.read((tx) => tx.bank.transactionsOf(account_id, {}, { limit: 10 }));
  assert.deepEqual(
    shown.items.toReversed().map(({ amount, balance_after }) => [amount, balance_after]),
    [
      [-2_500, null],
      [3_000, -max + 500],
    ],
  );
});
