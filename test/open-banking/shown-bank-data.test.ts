import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  database_names,
  openBankingDocumentsMissing,
  propertyParameters,
  readOpenBankingDocuments,
} from '@tallystick/test-support';
import fc from 'fast-check';
import { card, deposit, user_id } from './bank.ts';
import { all_permissions, startWorld, type World } from './world.ts';

const bank = { key: 'bank' } as const;

/** An account in a currency with each number of decimals, by its currency. */
const accounts = { USD: deposit, JPY: '1000000011', KWD: '1000000012' } as const;

type Currency = keyof typeof accounts;

/**
 * The largest balance in minor units: 13 digits before the point, by the decimals of the currency.
 * Of KWD, which has three decimals, the largest sum of the service is less.
 */
const balance_max: Readonly<Record<Currency, number>> = {
  JPY: 9_999_999_999_999,
  USD: 999_999_999_999_999,
  KWD: 1_000_000_000_000_000,
};

const shown_max: Readonly<Record<Currency, string>> = {
  JPY: '9999999999999',
  USD: '9999999999999.99',
  KWD: '1000000000000.000',
};

const currencies = Object.keys(accounts) as readonly Currency[];

/** A world whose user may view the accounts, and a token that reads them. */
async function startBank(t: { after(cleanup: () => unknown): void }, name: 'sqlite' | 'postgres') {
  const world = await startWorld(t, name);
  for (const currency of ['JPY', 'KWD'] as const) {
    const data = { company_id: 1, number: accounts[currency], currency, kind: 'deposit' };
    const opened = await world.service.send('POST', '/bank/v1/accounts', { ...bank, body: { data } });
    assert.equal(opened.status, 200, opened.text);
  }
  const numbers = [...Object.values(accounts), card];
  const data = {
    company_id: 1,
    name: 'Alex Example',
    status: 'active',
    eligible_services: ['aisp', 'cbpii'],
    configured_services: ['aisp', 'cbpii'],
    may_view_direct_debits: true,
    viewable_accounts: numbers,
  };
  const put = await world.service.send('PUT', `/bank/v1/users/${user_id}`, { ...bank, body: { data } });
  assert.equal(put.status, 200, put.text);
  return { world, numbers, token: await world.grant(all_permissions, numbers) };
}

async function putBalance({ service }: World, currency: Currency, data: object): Promise<readonly string[]> {
  const reply = await service.send('PUT', `/bank/v1/accounts/${accounts[currency]}/balance`, {
    ...bank,
    body: { data },
  });
  if (reply.status === 200) return [];
  assert.equal(reply.status, 400, reply.text);
  return reply.json.fields.map(({ path }: { readonly path: string }) => path.replace('data.', ''));
}

async function report({ service }: World, records: readonly object[]) {
  const reply = await service.send('POST', '/bank/v1/records', {
    ...bank,
    body: Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join('')),
    headers: { 'Content-Type': 'application/x-ndjson' },
  });
  assert.equal(reply.status, 200, reply.text);
  return reply.json.data;
}

const missing = openBankingDocumentsMissing();
const documents = missing === false ? readOpenBankingDocuments() : null;

/** What Open Banking shows of an account; every answer fits the official documents. */
async function readAll({ send }: World, token: string, number: string) {
  const read: Record<string, readonly Readonly<Record<string, unknown>>[]> = {};
  for (const rest of [
    '',
    '/balances',
    '/transactions?toBookingDateTime=9999-12-31',
    '/direct-debits',
    '/standing-orders',
    '/scheduled-payments',
  ]) {
    const reply = await send('GET', `/accounts/${number}${rest}`, { token });
    const [path] = rest.split('?');
    assert.equal(reply.status, 200, `${number}${rest} ${reply.text}`);
    assert.equal(documents!.findProblem('GET', `/accounts/{AccountId}${path}`, reply), null, reply.text);
    Object.assign(read, reply.json.Data);
  }
  return read;
}

for (const name of database_names) {
  describe(`bank data that Open Banking cannot show on ${name}`, { skip: missing }, () => {
    it('are refused as a balance beyond 13 digits of major units, by the decimals of the currency', async (t) => {
      const { world, token } = await startBank(t, name);
      for (const currency of currencies) {
        const [max, account] = [balance_max[currency], accounts[currency]];
        const amountsOf = async () =>
          (await readAll(world, token, account)).Balance!.map(({ CreditDebitIndicator, Amount }) => [
            CreditDebitIndicator,
            (Amount as { readonly Amount: string }).Amount,
          ]);
        for (const [sign, indicator] of [
          [1, 'Credit'],
          [-1, 'Debit'],
        ] as const) {
          assert.deepEqual(await putBalance(world, currency, { booked: sign * max }), [], currency);
          const both = [indicator, shown_max[currency]];
          assert.deepEqual(await amountsOf(), [both, both], currency);
          const past = sign * (max + 1);
          assert.deepEqual(await putBalance(world, currency, { booked: past }), ['booked'], currency);
          assert.deepEqual(await putBalance(world, currency, { booked: 0, available: past }), ['available'], currency);
          const record = { kind: 'balance', account, booked: past };
          const line = { kind: 'transaction', account, bank_reference: `T${past}`, booking_date: '2030-03-14' };
          const errors = [record, { ...line, amount: -1, bai_code: '821', balance_after: past }];
          const reported = await report(world, errors);
          assert.deepEqual(
            reported.errors.map(({ path }: { readonly path: string }) => path),
            ['booked', 'balance_after'],
          );
          assert.deepEqual(await amountsOf(), [both, both], `${currency} after the refusals`);
        }
        // InterimAvailable is the sum of both.
        assert.deepEqual(await putBalance(world, currency, { booked: max, credit_line: 1 }), ['credit_line'], currency);
        const fitting = { booked: 5, available: max - 7, credit_line: 7 };
        assert.deepEqual(await putBalance(world, currency, fitting), [], currency);
        assert.deepEqual((await amountsOf())[1], ['Credit', shown_max[currency]], currency);
      }
    });

    it('are not read as 500 when a credit line is reported for the balance of a statement', async (t) => {
      const { world, token } = await startBank(t, name);
      const { unitOfWork } = world.service.persistence;
      await unitOfWork.run(async ({ accounts: store }) => {
        const { id } = (await store.findByNumber(accounts.JPY))!;
        const last_statement = { as_of: '2030-03-14', balance: balance_max.JPY as never };
        await store.updateEnds({ id, first_statement: last_statement, last_statement });
      });
      const reported = { booked: 0, credit_line: 1_000, as_of: '2030-03-01T00:00:00Z' };
      assert.deepEqual(await putBalance(world, 'JPY', reported), []);
      const { Balance } = await readAll(world, token, accounts.JPY);
      const amounts = Balance!.map(({ Amount }) => (Amount as { readonly Amount: string }).Amount);
      assert.deepEqual(amounts, [shown_max.JPY, shown_max.JPY]);
    });

    it('are refused in every field that Open Banking shows', async (t) => {
      const { world, numbers, token } = await startBank(t, name);
      const shown = new Set<string>();
      await fc.assert(
        fc.asyncProperty(fc.array(anyRecord(numbers), { minLength: 20, maxLength: 40 }), async (records) => {
          await report(world, records);
          for (const number of numbers) {
            for (const [list, items] of Object.entries(await readAll(world, token, number))) {
              for (const item of items) for (const field of Object.keys(item)) shown.add(`${list}.${field}`);
            }
          }
        }),
        propertyParameters({ short: 4, full: 20 }),
      );
      for (const field of [
        'Account.Servicer',
        'Account.Description',
        'Balance.CreditLine',
        'Transaction.Balance',
        'DirectDebit.PreviousPaymentAmount',
        'StandingOrder.NumberOfPayments',
        'ScheduledPayment.CreditorAccount',
      ]) {
        assert.ok(shown.has(field), `${field} was never shown`);
      }
    });
  });
}

/** Records with values at the ends of what is accepted, and beyond. */
function anyRecord(numbers: readonly string[]) {
  const edges = [13, 19].map((length) => '4222222222222000000'.slice(0, length));
  const part = fc.constantFrom('a', ' ', '\u{1f600}', '"', '.', ...edges, '4222222222222 4222222222222');
  const textOf = (length: number) =>
    fc
      .tuple(fc.array(part, { minLength: 1, maxLength: 60 }), fc.integer({ min: length - 2, max: length }))
      .map(([parts, most]) => [...parts.join('').repeat(8)].slice(0, most).join('').trim() || 'x');
  const amount = fc.constantFrom(0, 1, 10 ** 12, 10 ** 12 - 1, 10 ** 12 + 1);
  const balance = fc.constantFrom(
    ...Object.values(balance_max).flatMap((max) => [max, -max, max + 1, -max - 1]),
    10 ** 12,
    0,
  );
  const date = fc.constantFrom('1970-01-01', '2030-03-14', '2030-03-16', '9999-12-31');
  const instant = fc.constantFrom(
    '0000-01-01T00:00:00+23:59',
    '1970-01-01T00:00:00Z',
    '9999-12-31T23:59:59.999999999Z',
    '9999-12-31T23:59:59-23:59',
  );
  const scheme = fc.constantFrom('UK.OBIE.Wallet', 'UK.OBIE.PAN', 'UK.OBIE.BBAN', 'x'.repeat(40));
  const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null });
  const creditor = {
    payment_reference: maybe(textOf(35)),
    creditor_scheme_name: scheme,
    creditor_identification: textOf(256),
    creditor_name: maybe(textOf(350)),
  };
  const kinds = {
    balance: { booked: balance, available: maybe(balance), credit_line: maybe(amount) },
    profile: {
      scheme_name: scheme,
      identification: textOf(256),
      secondary_identification: maybe(textOf(34)),
      holder_name: maybe(textOf(350)),
      nickname: maybe(textOf(70)),
      description: maybe(textOf(35)),
      opened_on: maybe(date),
      status_updated_at: maybe(instant),
      servicer_scheme_name: scheme,
      servicer_identification: textOf(35),
    },
    transaction: {
      bank_reference: textOf(255),
      booking_date: date,
      value_date: date,
      amount,
      bai_code: fc.constantFrom('195', '999'),
      text: textOf(600),
      acquirer_reference: maybe(fc.constantFrom('12345678901234567890123', '1'.repeat(17))),
      balance_after: maybe(balance),
    },
    direct_debit: {
      mandate_reference: textOf(35),
      status: fc.constant('active'),
      name: textOf(70),
      frequency: maybe(fc.oneof(textOf(35), fc.constant('Monthly'))),
      previous_payment_on: date,
      previous_payment_amount: amount,
    },
    standing_order: {
      reference: textOf(40),
      status: fc.constant('active'),
      frequency: fc.constantFrom('EvryDay', 'IntrvlMnthDay:24:-05', 'IntrvlDay:32'),
      next_payment_on: date,
      next_payment_amount: amount,
      number_of_payments: maybe(textOf(35)),
      ...creditor,
    },
    scheduled_payment: {
      reference: textOf(40),
      status: fc.constant('pending'),
      scheduled_on: date,
      amount,
      ...creditor,
    },
  } as const;
  return fc.oneof(
    ...Object.entries(kinds).map(([kind, fields]) =>
      fc.record({ kind: fc.constant(kind), account: fc.constantFrom(...numbers), ...fields } as Record<
        string,
        fc.Arbitrary<unknown>
      >),
    ),
  );
}
