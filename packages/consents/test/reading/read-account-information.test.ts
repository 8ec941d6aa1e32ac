import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type OpenBankingPage,
  type Permission,
  readAccounts,
  readBalances,
  readDirectDebits,
  readScheduledPayments,
  readStandingOrders,
  readTransactions,
} from '@tallystick/consents';
import { money } from '@tallystick/kernel';
import {
  accountBalance,
  accountProfile,
  bankAccount,
  bankUser,
  bookedTransaction,
  directDebit,
  scheduledPayment,
  standingOrder,
} from '../bank-world.ts';
import { ConsentWorld, callOf, problemsOf } from '../consent-world.ts';

const page = { cursor: undefined };
const any_date = { from: undefined, to: undefined };
const deposit = '1000000001';
const card = 'ceid2000000001';

const basic: readonly Permission[] = [
  'ReadAccountsBasic',
  'ReadTransactionsBasic',
  'ReadTransactionsCredits',
  'ReadTransactionsDebits',
  'ReadStandingOrdersBasic',
  'ReadScheduledPaymentsBasic',
];

async function opened(permissions?: readonly Permission[]) {
  const world = new ConsentWorld();
  const consent = await world.grantAccess(permissions === undefined ? {} : { Permissions: permissions });
  const call = callOf(consent);
  const { ports } = world;
  return {
    bank: world.bank,
    accounts: (number: string | null = null, cursor?: string) =>
      world.read((tx) => readAccounts(tx, ports, call, number, { cursor })),
    balances: (number = deposit) => world.read((tx) => readBalances(tx, ports, call, number)),
    transactions: (query: { from?: string; to?: string } = {}, cursor?: string) =>
      world.read((tx) => readTransactions(tx, ports, call, deposit, { ...any_date, ...query }, { cursor })),
    mandates: (number: string | null = null, cursor?: string) =>
      world.read((tx) => readDirectDebits(tx, ports, call, number, { cursor })),
    orders: (number: string | null = null) => world.read((tx) => readStandingOrders(tx, ports, call, number, page)),
    payments: (number: string | null = null) =>
      world.read((tx) => readScheduledPayments(tx, ports, call, number, page)),
  };
}

function itemsOf({ Data }: OpenBankingPage): readonly object[] {
  const [items] = Object.values(Data);
  return items!;
}

describe('accounts', () => {
  it('without a profile show their number only', async () => {
    const { accounts } = await opened();
    assert.deepEqual(await accounts(), {
      Data: {
        Account: [
          {
            AccountId: deposit,
            Status: 'Enabled',
            StatusUpdateDateTime: '1970-01-01T00:00:00.000Z',
            Currency: 'USD',
            AccountType: 'Business',
            AccountSubType: 'CurrentAccount',
            Account: [{ SchemeName: 'Tallystick.AccountNumber', Identification: deposit }],
          },
          {
            AccountId: card,
            Status: 'Enabled',
            StatusUpdateDateTime: '1970-01-01T00:00:00.000Z',
            Currency: 'USD',
            AccountType: 'Business',
            AccountSubType: 'ChargeCard',
            Account: [{ SchemeName: 'Tallystick.AccountNumber', Identification: card }],
          },
        ],
      },
      next: null,
      prev: null,
    });
  });

  it('show their profile, of which Basic withholds Account and Servicer', async () => {
    const profile = accountProfile(1, {
      scheme_name: 'UK.OBIE.IBAN',
      identification: 'GB82WEST12345698765432',
      secondary_identification: '0002',
      holder_name: 'Acme Ltd',
      nickname: 'Bills',
      description: 'Main',
      account_type: 'Personal',
      deposit_sub_type: 'Savings',
      opened_on: '2020-02-29',
      status: 'Disabled',
      status_updated_at_ms: 1_000,
      servicer_scheme_name: 'UK.OBIE.BICFI',
      servicer_identification: 'WESTGB2L',
    });
    const shared = {
      AccountId: deposit,
      Status: 'Disabled',
      StatusUpdateDateTime: '1970-01-01T00:00:01.000Z',
      Currency: 'JPY',
      AccountType: 'Personal',
      AccountSubType: 'Savings',
      Description: 'Main',
      Nickname: 'Bills',
      OpeningDate: '2020-02-29T00:00:00Z',
    };
    const detail = {
      Account: [
        {
          SchemeName: 'UK.OBIE.IBAN',
          Identification: 'GB82WEST12345698765432',
          Name: 'Acme Ltd',
          SecondaryIdentification: '0002',
        },
      ],
      Servicer: { SchemeName: 'UK.OBIE.BICFI', Identification: 'WESTGB2L' },
    };
    for (const [permissions, expected] of [
      [basic, shared],
      [['ReadAccountsDetail'], { ...shared, ...detail }],
      [['ReadAccountsBasic', 'ReadAccountsDetail'], { ...shared, ...detail }],
    ] as const) {
      const { bank, accounts } = await opened(permissions);
      bank.accounts = [bankAccount(1, deposit, { currency: 'JPY', profile })];
      assert.deepEqual(itemsOf(await accounts(deposit)), [expected]);
    }
  });

  it('show a card number by its last 4 digits only', async () => {
    const { bank, accounts } = await opened();
    for (const identification of ['5555555555554444', '4444']) {
      const profile = accountProfile(2, {
        scheme_name: 'UK.OBIE.PAN',
        identification,
        nickname: 'my 5555-5555-5555-4444',
      });
      bank.accounts = [bankAccount(2, card, { profile })];
      const [shown] = itemsOf(await accounts(card)) as [{ Account: object; Nickname: string }];
      assert.deepEqual(shown.Account, [{ SchemeName: 'UK.OBIE.PAN', Identification: '************4444' }]);
      assert.equal(shown.Nickname, 'my ************4444');
    }
  });

  it('cut text to the length of the standard, in whole characters', async () => {
    const { bank, accounts } = await opened();
    bank.accounts = [bankAccount(1, deposit, { name: '😀'.repeat(200) })];
    const [shown] = itemsOf(await accounts(deposit)) as [{ Nickname: string }];
    assert.equal(shown.Nickname, '😀'.repeat(70));
  });

  it('are read by pages of 100, forward and back, with a fixed number of calls of the bank', async () => {
    const world = new ConsentWorld();
    const numbers = Array.from({ length: 250 }, (_, at) => `n${String(at).padStart(3, '0')}`);
    world.bank.accounts = numbers.map((number, at) => bankAccount(at + 1, number));
    world.bank.users = [bankUser({ viewable_accounts: numbers })];
    const call = callOf(await world.grantAccess());
    const read = async (cursor: string | undefined) => {
      world.bank.calls = 0;
      const found = await world.read((tx) => readAccounts(tx, world.ports, call, null, { cursor }));
      assert.equal(world.bank.calls, 3, 'the user, the company, the accounts');
      const ids = itemsOf(found).map((item) => (item as { AccountId: string }).AccountId);
      return { ...found, ids };
    };
    const first = await read(undefined);
    const second = await read(first.next!);
    const third = await read(second.next!);
    assert.deepEqual(
      [first.ids, second.ids, third.ids],
      [numbers.slice(0, 100), numbers.slice(100, 200), numbers.slice(200)],
    );
    assert.deepEqual([first.prev, third.next], [null, null]);
    assert.deepEqual((await read(third.prev!)).ids, second.ids);
    assert.deepEqual((await read(second.prev!)).ids, first.ids);
    for (const cursor of ['', 'x', first.next!.slice(1), btoa('accounts 5'), 'a'.repeat(10_000)]) {
      const expected = ['invalid', 'UK.OBIE.Field.Invalid page'];
      assert.deepEqual(await problemsOf(read(cursor)), expected, cursor.slice(0, 20));
    }
  });
});

describe('balances', () => {
  it('are InterimBooked and InterimAvailable, which includes the credit line', async () => {
    const { bank, balances } = await opened();
    const as_of_ms = Date.UTC(2026, 4, 20, 11);
    const line = { credit_line: money(50_000), as_of_ms };
    bank.balances = [accountBalance(1, { booked: money(-12_345), available: money(-20_000), ...line })];
    const shared = { AccountId: deposit, DateTime: '2026-05-20T11:00:00.000Z' };
    assert.deepEqual(itemsOf(await balances()), [
      {
        ...shared,
        CreditDebitIndicator: 'Debit',
        Type: 'InterimBooked',
        Amount: { Amount: '123.45', Currency: 'USD' },
      },
      {
        ...shared,
        CreditDebitIndicator: 'Credit',
        Type: 'InterimAvailable',
        Amount: { Amount: '300.00', Currency: 'USD' },
        CreditLine: [{ Included: true, Type: 'Pre-Agreed', Amount: { Amount: '500.00', Currency: 'USD' } }],
      },
    ]);
  });

  it('of a card have a credit line of the type Credit, and none without one', async () => {
    const { bank, balances } = await opened();
    bank.balances = [accountBalance(2, { credit_line: money(1) })];
    const shown = itemsOf(await balances(card)) as { CreditLine?: readonly { Type: string }[] }[];
    assert.deepEqual(
      shown.map(({ CreditLine }) => CreditLine?.[0]?.Type),
      [undefined, 'Credit'],
    );
    assert(itemsOf(await balances()).every((one) => !Object.hasOwn(one, 'CreditLine')));
  });

  it('of zero are credits, and amounts have the decimals of the currency', async () => {
    const { bank, balances } = await opened();
    for (const [currency, amount] of [
      ['USD', '0.07'],
      ['JPY', '7'],
      ['BHD', '0.007'],
    ] as const) {
      bank.accounts[0] = bankAccount(1, deposit, { currency });
      bank.balances = [accountBalance(1, { booked: money(0), available: money(-7) })];
      const shown = itemsOf(await balances()) as { CreditDebitIndicator: string; Amount: object }[];
      assert.deepEqual(
        shown.map(({ CreditDebitIndicator }) => CreditDebitIndicator),
        ['Credit', 'Debit'],
      );
      assert.deepEqual(shown[1]!.Amount, { Amount: amount, Currency: currency });
    }
  });
});

describe('transactions', () => {
  const purchase = bookedTransaction(1, {
    transaction_id: 't-1',
    bank_reference: 'FT-1',
    acquirer_reference: '12345678901234567890123',
    text: 'Coffee 5555 5555 5555 4444',
    balance_after: money(-1),
    merchant_name: 'Café',
    merchant_category_code: '5812',
  });
  const shown_basic = {
    AccountId: deposit,
    TransactionId: 't-1',
    TransactionReference: 'FT-1',
    CreditDebitIndicator: 'Debit',
    Status: 'Booked',
    BookingDateTime: '2026-05-19T00:00:00Z',
    ValueDateTime: '2026-05-20T00:00:00Z',
    Amount: { Amount: '12.50', Currency: 'USD' },
    ProprietaryBankTransactionCode: { Code: '821', Issuer: 'BAI' },
    SupplementaryData: {
      ProprietartyBankTransactionCode: { Code: '821' },
      AcquirerReference: '12345678901234567890123',
    },
  };

  it('with Basic withhold the detail-only fields', async () => {
    const { bank, transactions } = await opened(basic);
    bank.transactions = [purchase];
    assert.deepEqual(await transactions(), {
      Data: { Transaction: [shown_basic] },
      next: null,
      prev: null,
      first_available: '2025-04-20T00:00:00Z',
      last_available: '2026-05-20T00:00:00Z',
    });
  });

  it('with Detail show all fields', async () => {
    const { bank, transactions } = await opened();
    bank.transactions = [purchase];
    assert.deepEqual(itemsOf(await transactions()), [
      {
        ...shown_basic,
        TransactionInformation: 'Coffee ************4444',
        Balance: { CreditDebitIndicator: 'Debit', Type: 'InterimBooked', Amount: { Amount: '0.01', Currency: 'USD' } },
        MerchantDetails: { MerchantName: 'Café', MerchantCategoryCode: '5812' },
      },
    ]);
  });

  it('have no field for what is not known', async () => {
    const { bank, transactions } = await opened();
    bank.transactions = [bookedTransaction(1, { text: '' })];
    const names = Object.keys(itemsOf(await transactions())[0]!);
    for (const absent of ['TransactionReference', 'TransactionInformation', 'Balance', 'MerchantDetails']) {
      assert(!names.includes(absent), absent);
    }
  });

  it('refer to the bank’s reference, else to that of the acquirer; card numbers are masked', async () => {
    const { bank, transactions } = await opened();
    const looks_like_a_card = '55555555555544442';
    for (const [bank_reference, acquirer_reference, expected] of [
      ['FT-1', '1'.repeat(23), 'FT-1'],
      [null, '1'.repeat(23), '1'.repeat(23)],
      [looks_like_a_card, looks_like_a_card, looks_like_a_card],
      ['card 5555555555554444', null, 'card ************4444'],
      ['', null, undefined],
    ] as const) {
      bank.transactions = [bookedTransaction(1, { bank_reference, acquirer_reference })];
      const [shown] = itemsOf(await transactions()) as [typeof shown_basic];
      assert.equal(shown.TransactionReference, expected);
      assert.equal(shown.SupplementaryData.AcquirerReference, acquirer_reference ?? undefined);
    }
  });

  it('have an amount without a sign, and the side of their BAI code when it is zero', async () => {
    const { bank, transactions } = await opened();
    for (const [amount, bai_code, expected] of [
      [-5, '174', 'Debit'],
      [5, '821', 'Credit'],
      [0, '821', 'Debit'],
      [0, '174', 'Credit'],
      [0, '890', 'Credit'],
    ] as const) {
      bank.transactions = [bookedTransaction(1, { amount: money(amount), bai_code })];
      const [shown] = itemsOf(await transactions()) as [typeof shown_basic];
      assert.equal(shown.CreditDebitIndicator, expected, `${amount} ${bai_code}`);
      assert.equal(shown.Amount.Amount, amount === 0 ? '0.00' : '0.05');
    }
  });

  it('are those of the range and of this account; an empty range is an empty list', async () => {
    const { bank, transactions } = await opened();
    bank.transactions = [
      bookedTransaction(1, { booking_date: '2026-03-01' }),
      bookedTransaction(1, { booking_date: '2026-03-02' }),
      bookedTransaction(2, { booking_date: '2026-03-02' }),
    ];
    const dates = async (query: object) =>
      itemsOf(await transactions(query)).map((item) => (item as typeof shown_basic).BookingDateTime);
    assert.deepEqual(await dates({}), ['2026-03-02T00:00:00Z', '2026-03-01T00:00:00Z']);
    assert.deepEqual(await dates({ from: '2026-03-01T00:00:01' }), ['2026-03-02T00:00:00Z']);
    assert.deepEqual(await dates({ to: '2026-03-01T23:59:59+05:00' }), ['2026-03-01T00:00:00Z']);
    assert.deepEqual(await transactions({ to: '2001-01-01' }), { Data: { Transaction: [] }, next: null, prev: null });
    const reversed = ['invalid', 'UK.OBIE.Field.InvalidDate fromBookingDateTime'];
    assert.deepEqual(await problemsOf(transactions({ from: '2026-03-02', to: '2026-03-01' })), reversed);
  });

  it('are read by pages of 100, and a foreign cursor is refused', async () => {
    const { bank, transactions } = await opened();
    bank.transactions = Array.from({ length: 150 }, () => bookedTransaction(1));
    const first = await transactions();
    const second = await transactions({}, first.next!);
    assert.deepEqual([itemsOf(first).length, itemsOf(second).length, second.next], [100, 50, null]);
    assert.equal(itemsOf(await transactions({}, second.prev!)).length, 100);
    assert.deepEqual(await problemsOf(transactions({}, 'x')), ['invalid', 'UK.OBIE.Field.Invalid page']);
  });
});

describe('direct debits', () => {
  it('are the active mandates of the accounts', async () => {
    const { bank, mandates } = await opened();
    bank.direct_debits = [
      directDebit(1, 1, {
        frequency: 'Monthly',
        previous_payment_on: '2026-05-01',
        previous_payment_amount: money(2_000),
      }),
      directDebit(2, 2, { frequency: 'Acme.EverySecondTuesday' }),
      directDebit(3, 1, { status: 'inactive' }),
    ];
    const first = {
      AccountId: deposit,
      DirectDebitId: '1',
      MandateIdentification: 'M-1',
      DirectDebitStatusCode: 'Active',
      Name: 'Water Board',
      PreviousPaymentDateTime: '2026-05-01T00:00:00Z',
      Frequency: 'UK.OBIE.Monthly',
      PreviousPaymentAmount: { Amount: '20.00', Currency: 'USD' },
    };
    const second = {
      AccountId: card,
      DirectDebitId: '2',
      MandateIdentification: 'M-2',
      DirectDebitStatusCode: 'Active',
      Name: 'Water Board',
      Frequency: 'Acme.EverySecondTuesday',
    };
    assert.deepEqual((await mandates()).Data, { DirectDebit: [first, second] });
    assert.deepEqual((await mandates(deposit)).Data, { DirectDebit: [first] });
  });

  it('of all accounts cost one call of the bank, whatever their number', async () => {
    const world = new ConsentWorld();
    const numbers = Array.from({ length: 60 }, (_, at) => `n${at}`);
    world.bank.accounts = numbers.map((number, at) => bankAccount(at + 1, number));
    world.bank.users = [bankUser({ viewable_accounts: numbers })];
    world.bank.direct_debits = numbers.map((_, at) => directDebit(at + 1, at + 1));
    const call = callOf(await world.grantAccess());
    world.bank.calls = 0;
    const found = await world.read((tx) => readDirectDebits(tx, world.ports, call, null, page));
    assert.deepEqual([itemsOf(found).length, world.bank.calls], [60, 4]);
  });

  it('are none when the user may view no account any more', async () => {
    const { bank, mandates } = await opened();
    bank.direct_debits = [directDebit(1, 1)];
    bank.users = [bankUser({ viewable_accounts: [] })];
    assert.deepEqual(await mandates(), { Data: { DirectDebit: [] }, next: null, prev: null });
  });
});

describe('standing orders and scheduled payments', () => {
  const creditor = { SchemeName: 'UK.OBIE.IBAN', Identification: 'GB82WEST12345698765432', Name: 'Landlord' };
  const order = {
    AccountId: deposit,
    StandingOrderId: '1',
    Frequency: 'IntrvlMnthDay:01:28',
    Reference: 'RENT',
    FirstPaymentDateTime: '2025-01-28T00:00:00Z',
    NextPaymentDateTime: '2026-05-28T00:00:00Z',
    NumberOfPayments: '24',
    StandingOrderStatusCode: 'Active',
    FirstPaymentAmount: { Amount: '900.00', Currency: 'USD' },
    NextPaymentAmount: { Amount: '900.00', Currency: 'USD' },
  };
  const payment = {
    AccountId: deposit,
    ScheduledPaymentId: '1',
    ScheduledPaymentDateTime: '2026-05-25T00:00:00Z',
    ScheduledType: 'Execution',
    Reference: 'INV 7',
    InstructedAmount: { Amount: '50.00', Currency: 'USD' },
  };
  const fill = (bank: ConsentWorld['bank']) => {
    const first = { first_payment_on: '2025-01-28', first_payment_amount: money(90_000), number_of_payments: '24' };
    bank.standing_orders = [
      standingOrder(1, 1, first),
      standingOrder(2, 1, { status: 'inactive' }),
      standingOrder(3, 1, { next_payment_on: '2026-05-19' }),
    ];
    bank.scheduled_payments = [
      scheduledPayment(1, 1, { payment_reference: 'INV 7' }),
      scheduledPayment(2, 1, { status: 'executed' }),
      scheduledPayment(3, 1, { scheduled_on: '2026-05-19' }),
    ];
  };

  it('are the pending ones, with the creditor', async () => {
    const { bank, orders, payments } = await opened();
    fill(bank);
    assert.deepEqual((await orders()).Data, { StandingOrder: [{ ...order, CreditorAccount: creditor }] });
    assert.deepEqual((await payments()).Data, { ScheduledPayment: [{ ...payment, CreditorAccount: creditor }] });
  });

  it('with Basic withhold the creditor', async () => {
    const { bank, orders, payments } = await opened(basic);
    fill(bank);
    assert.deepEqual((await orders(deposit)).Data, { StandingOrder: [order] });
    assert.deepEqual((await payments(deposit)).Data, { ScheduledPayment: [payment] });
  });

  it('are still pending on the day itself', async () => {
    const { bank, orders, payments } = await opened();
    bank.standing_orders = [standingOrder(1, 1, { next_payment_on: '2026-05-20' })];
    bank.scheduled_payments = [scheduledPayment(1, 1, { scheduled_on: '2026-05-20' })];
    assert.deepEqual([itemsOf(await orders()).length, itemsOf(await payments()).length], [1, 1]);
  });

  it('mask a card number of the creditor', async () => {
    const { bank, orders } = await opened();
    const pan = { creditor_scheme_name: 'UK.OBIE.PAN', creditor_identification: '5555555555554444' };
    bank.standing_orders = [standingOrder(1, 1, { ...pan, creditor_name: 'card 5555555555554444' })];
    const [shown] = itemsOf(await orders()) as [{ CreditorAccount: object }];
    const masked = { SchemeName: 'UK.OBIE.PAN', Identification: '************4444', Name: 'card ************4444' };
    assert.deepEqual(shown.CreditorAccount, masked);
  });
});

describe('texts of the bank', () => {
  it('are cut to the length that the standard allows', async () => {
    const { bank, accounts, transactions, mandates, orders, payments } = await opened();
    const long = 'x'.repeat(1_000);
    const profile = accountProfile(1, { description: long, nickname: long });
    bank.accounts = [bankAccount(1, deposit, { profile })];
    bank.transactions = [
      bookedTransaction(1, { bank_reference: long, text: long, merchant_name: long, merchant_category_code: '5812' }),
    ];
    bank.direct_debits = [directDebit(1, 1, { mandate_reference: long, name: long })];
    bank.standing_orders = [standingOrder(1, 1, { payment_reference: long, number_of_payments: long })];
    bank.scheduled_payments = [scheduledPayment(1, 1, { payment_reference: long })];
    const pages = [await accounts(deposit), await transactions(), await mandates(), await orders(), await payments()];
    const lengths: Record<string, number> = {};
    JSON.stringify(pages.map(itemsOf), (name, value) => {
      if (typeof value === 'string' && value.startsWith('xx')) lengths[name] = value.length;
      return value;
    });
    assert.deepEqual(lengths, {
      Description: 35,
      Nickname: 70,
      TransactionReference: 210,
      TransactionInformation: 500,
      MerchantName: 350,
      MandateIdentification: 35,
      Name: 70,
      Reference: 35,
      NumberOfPayments: 35,
    });
  });
});
