import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  OpenBankingRefusal,
  type Permission,
  permissions,
  readAccounts,
  readBalances,
  readDirectDebits,
  readScheduledPayments,
  readStandingOrders,
  readTransactions,
} from '@tallystick/consents';
import { money } from '@tallystick/kernel';
import { propertyParameters } from '@tallystick/test-support';
import fc from 'fast-check';
import {
  accountBalance,
  accountProfile,
  bankAccount,
  bankUser,
  bookedTransaction,
  directDebit,
  now_ms,
  scheduledPayment,
  standingOrder,
} from '../bank-world.ts';
import { ConsentWorld, callOf } from '../consent-world.ts';

/*
 * Every text of the bank's data is a mark that says who may see it: the account, the right, and the
 * booking date. Whatever a third party receives, each mark in it must be allowed. So the test needs
 * to know neither the shapes nor the code that makes them.
 */

type Right = 'A' | 'AD' | 'T' | 'TD' | 'DD' | 'S' | 'SD' | 'P' | 'PD';

function mark(account: string, right: Right, date = 'any'): string {
  return `<${account}|${right}|${date}>`;
}

const day_ms = 86_400_000;
const card_number = '5555555555554444';
const numbers = ['a1', 'a2', 'ceid3', 'b4'];

/** The permissions of each right (service specification 4.5), besides those of the accounts. */
function holds(granted: readonly Permission[], right: Right): boolean {
  const has = (...names: readonly Permission[]) => names.some((name) => granted.includes(name));
  const sides = has('ReadTransactionsCredits') && has('ReadTransactionsDebits');
  const rights: Readonly<Record<Right, boolean>> = {
    A: true,
    AD: has('ReadAccountsDetail'),
    T: sides && has('ReadTransactionsBasic', 'ReadTransactionsDetail'),
    TD: sides && has('ReadTransactionsDetail'),
    DD: has('ReadDirectDebits'),
    S: has('ReadStandingOrdersBasic', 'ReadStandingOrdersDetail'),
    SD: has('ReadStandingOrdersDetail'),
    P: has('ReadScheduledPaymentsBasic', 'ReadScheduledPaymentsDetail'),
    PD: has('ReadScheduledPaymentsDetail'),
  };
  return rights[right] && has('ReadAccountsBasic', 'ReadAccountsDetail');
}

function isoDay(days_ago: number): string {
  return new Date(now_ms - days_ago * day_ms).toISOString().slice(0, 10);
}

/** Accounts of which the last belongs to another company, each with everything a bank knows. */
function fill({ bank }: ConsentWorld, days: readonly number[]): void {
  bank.accounts = numbers.map((number, at) =>
    bankAccount(at + 1, number, {
      company_id: number === 'b4' ? 2 : 1,
      profile: accountProfile(at + 1, {
        scheme_name: at === 0 ? 'UK.OBIE.PAN' : 'UK.OBIE.Wallet',
        identification: at === 0 ? card_number : mark(number, 'AD'),
        holder_name: mark(number, 'AD'),
        secondary_identification: mark(number, 'AD'),
        nickname: mark(number, 'A'),
        description: mark(number, 'A'),
        servicer_scheme_name: 'UK.OBIE.BICFI',
        servicer_identification: mark(number, 'AD'),
      }),
    }),
  );
  for (const { id, number } of bank.accounts) {
    bank.balances.push(accountBalance(id, { booked: money(id), available: money(id), credit_line: money(id) }));
    for (const booking_date of days.map(isoDay)) {
      const basic = mark(number, 'T', booking_date);
      const detail = mark(number, 'TD', booking_date);
      bank.transactions.push(
        bookedTransaction(id, {
          booking_date,
          transaction_id: basic,
          bank_reference: basic,
          text: `${detail} ${card_number} 5555-5555-5555-4444`,
          merchant_name: detail,
          balance_after: money(7_777_777),
          merchant_category_code: '5812',
        }),
      );
    }
    const creditor = (right: Right) => ({
      creditor_scheme_name: 'UK.OBIE.Wallet',
      creditor_identification: mark(number, right),
      creditor_name: mark(number, right),
    });
    const mandate = mark(number, 'DD');
    bank.direct_debits.push(directDebit(id, id, { mandate_reference: mandate, name: mandate }));
    bank.standing_orders.push(standingOrder(id, id, { ...creditor('SD'), payment_reference: mark(number, 'S') }));
    bank.scheduled_payments.push(scheduledPayment(id, id, { ...creditor('PD'), payment_reference: mark(number, 'P') }));
  }
}

const detail_fields_of_transactions = ['Balance', 'MerchantDetails', 'TransactionInformation', '7777777', '5812'];

const permission_set = fc.subarray([...permissions]).map((some): readonly Permission[] => {
  // What a consent can have: the rules of creation have tests of their own.
  const granted = new Set<Permission>([
    ...some,
    ...(some.includes('ReadAccountsDetail') ? [] : (['ReadAccountsBasic'] as const)),
  ]);
  const kinds = granted.has('ReadTransactionsBasic') || granted.has('ReadTransactionsDetail');
  for (const side of ['ReadTransactionsCredits', 'ReadTransactionsDebits'] as const) {
    if (kinds) granted.add(side);
    else granted.delete(side);
  }
  return [...granted];
});

const scenario = fc.record({
  granted: permission_set,
  chosen: fc.subarray(['a1', 'a2', 'ceid3'], { minLength: 1 }),
  viewable: fc.subarray(numbers),
  is_frozen: fc.constantFrom(false, false, false, true),
  days: fc.array(fc.integer({ min: -10, max: 1_300 }), { maxLength: 8 }),
  from: fc.option(fc.integer({ min: -10, max: 1_300 })),
  length: fc.option(fc.integer({ min: 0, max: 800 })),
  consent_from: fc.option(fc.integer({ min: -10, max: 1_300 })),
  consent_length: fc.option(fc.integer({ min: 0, max: 800 })),
  wanted: fc.constantFrom(null, ...numbers, 'none'),
});

it('no response ever holds a field, account, transaction or date outside the grant', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async (plan) => {
      const { granted, chosen, viewable, from, length, consent_from, consent_length, wanted } = plan;
      const world = new ConsentWorld();
      fill(world, plan.days);
      world.bank.users = [bankUser({ viewable_accounts: numbers })];
      const end = (start: number | null, days: number | null) => (days === null ? null : isoDay((start ?? 0) - days));
      const limits = {
        first: consent_from === null ? null : isoDay(consent_from),
        last: end(consent_from, consent_length),
      };
      const consent = await world.grantAccess(
        {
          Permissions: granted,
          ...(limits.first === null ? {} : { TransactionFromDateTime: `${limits.first}T00:00:00Z` }),
          ...(limits.last === null ? {} : { TransactionToDateTime: `${limits.last}T00:00:00Z` }),
        },
        chosen,
      );
      world.bank.users = [bankUser({ viewable_accounts: viewable, status: plan.is_frozen ? 'frozen' : 'active' })];

      const call = callOf(consent);
      const page = { cursor: undefined };
      const query = { from: from === null ? undefined : isoDay(from), to: end(from, length) ?? undefined };
      const single = wanted ?? 'a1';
      const allowed = chosen.filter((number) => viewable.includes(number));
      for (const [name, right, work] of [
        ['Account', 'A', world.read((tx) => readAccounts(tx, world.ports, call, wanted, page))],
        ['Balance', 'balances', world.read((tx) => readBalances(tx, world.ports, call, single))],
        ['Transaction', 'T', world.read((tx) => readTransactions(tx, world.ports, call, single, query, page))],
        ['DirectDebit', 'DD', world.read((tx) => readDirectDebits(tx, world.ports, call, wanted, page))],
        ['StandingOrder', 'S', world.read((tx) => readStandingOrders(tx, world.ports, call, wanted, page))],
        ['ScheduledPayment', 'P', world.read((tx) => readScheduledPayments(tx, world.ports, call, wanted, page))],
      ] as const) {
        const [outcome] = await Promise.allSettled([work]);
        const is_single = wanted !== null || name === 'Balance' || name === 'Transaction';
        const is_granted = right === 'balances' ? granted.includes('ReadBalances') : holds(granted, right);
        const may_read = is_granted && !plan.is_frozen && (!is_single || allowed.includes(single));
        assert.equal(outcome.status === 'fulfilled', may_read, name);
        if (outcome.status === 'rejected') {
          assert(outcome.reason instanceof OpenBankingRefusal, String(outcome.reason));
          assert(!/[<>]/.test(JSON.stringify([outcome.reason.problems, outcome.reason.message])));
          continue;
        }

        const text = JSON.stringify(outcome.value);
        assert(!text.includes(card_number) && !text.includes('5555-5555-5555-4444'), text);
        for (const [, number, needed, date] of text.matchAll(/<([^|>]*)\|([A-Z]*)\|([^>]*)>/g)) {
          assert(allowed.includes(number!), `${name} holds data of ${number}`);
          assert(holds(granted, needed as Right), `${name} holds what needs ${needed}`);
          if (date === 'any') continue;
          const bounds = [isoDay(3 * 365 + 1), limits.first, query.from, limits.last, query.to, isoDay(-5)];
          for (const lower of bounds.slice(0, 3)) assert(lower == null || lower <= date!, `${date} is before ${lower}`);
          for (const upper of bounds.slice(3)) assert(upper == null || date! <= upper, `${date} is after ${upper}`);
        }
        const items = outcome.value.Data[name] as readonly { readonly AccountId: string }[];
        for (const { AccountId } of items) assert(allowed.includes(AccountId) && (!is_single || AccountId === single));
        if (name === 'Transaction' && !granted.includes('ReadTransactionsDetail')) {
          for (const field of detail_fields_of_transactions) assert(!text.includes(field), field);
        }
        if (name === 'Account') {
          assert.equal(
            /"(Account|Servicer)":/.test(text.slice('{"Data":{"Account":'.length)),
            granted.includes('ReadAccountsDetail') && items.length > 0,
          );
        }
        // Nothing is left out, either.
        if (name !== 'Transaction' && name !== 'Balance') assert.equal(items.length, is_single ? 1 : allowed.length);
        const { first_available, last_available } = outcome.value;
        if (limits.first !== null && first_available !== undefined) assert(first_available >= limits.first);
        if (limits.last !== null && last_available !== undefined) assert(last_available <= `${limits.last}T00:00:00Z`);
      }
    }),
    propertyParameters({ short: 150, full: 450 }),
  );
});
