import {
  type Account,
  type AccountProfile,
  type BankUser,
  type BookedTransaction,
  compareTransactions,
  type DirectDebit,
  type ScheduledPayment,
  type ShownTransaction,
  type StandingOrder,
  type TransactionSource,
} from '@tallystick/accounts';
import { money, type TwoWayPage, type TwoWayPageRequest } from '@tallystick/kernel';
import * as fc from 'fast-check';
import { assertEqual, refusalOf } from '../assertions.ts';
import { anotherOf, type ContractRule, type PropertyRuns, rule } from '../rule.ts';
import { companyRow, makeCompany, rising, type StorageTx, type StorageUnderTest } from '../storage/storage.ts';
import { uniqueNumber } from '../unique.ts';
import { newAccount, newLine } from './account-store.ts';

/** A user with an id that no other has. */
function newUser(company_id: number): BankUser {
  return {
    user_id: `user-${String(uniqueNumber()).padStart(6, '0')}`,
    company_id,
    name: 'Zoë – é😀 "quoted"',
    status: 'active',
    eligible_services: ['aisp', 'cbpii'],
    configured_services: ['cbpii'],
    may_view_direct_debits: true,
    viewable_accounts: ['a1', 'a2'],
    updated_at_ms: 3,
  };
}

function newProfile(account_id: number, changes: Partial<AccountProfile>): AccountProfile {
  return {
    account_id,
    scheme_name: null,
    identification: null,
    secondary_identification: null,
    holder_name: null,
    nickname: null,
    description: 'É "😀"',
    account_type: 'Business',
    deposit_sub_type: 'CurrentAccount',
    opened_on: null,
    status: 'Enabled',
    status_updated_at_ms: 10 ** 13,
    servicer_scheme_name: null,
    servicer_identification: null,
    ...changes,
  };
}

/** A transaction that only Open Banking reads. */
export function newShown(account_id: number, changes: Partial<ShownTransaction> = {}): Omit<ShownTransaction, 'id'> {
  return {
    account_id,
    bank_reference: 'S1',
    booking_date: '2026-05-20',
    value_date: '2026-05-21',
    amount: money(-1_500),
    bai_code: '821',
    text: 'a "text" – é😀',
    acquirer_reference: '1'.repeat(23),
    balance_after: money(-(10 ** 14)),
    merchant_name: 'Café Ω',
    merchant_category_code: '5812',
    recorded_at_ms: 5,
    ...changes,
  };
}

const creditor = {
  creditor_scheme_name: 'UK.OBIE.IBAN',
  creditor_identification: 'GB82WEST12345698765432',
  creditor_name: null,
} as const;

function newMandate(account_id: number, changes: Partial<DirectDebit> = {}): Omit<DirectDebit, 'id'> {
  return {
    account_id,
    mandate_reference: 'M1',
    status: 'active',
    name: 'City Water é😀',
    frequency: null,
    previous_payment_on: '2026-04-01',
    previous_payment_amount: money(10 ** 12),
    updated_at_ms: 1,
    ...changes,
  };
}

function newOrder(account_id: number, changes: Partial<StandingOrder> = {}): Omit<StandingOrder, 'id'> {
  return {
    account_id,
    reference: 'O1',
    status: 'active',
    frequency: 'EvryDay',
    payment_reference: 'RENT',
    first_payment_on: '2026-01-01',
    first_payment_amount: money(5),
    next_payment_on: '2026-05-20',
    next_payment_amount: money(6),
    last_payment_on: null,
    last_payment_amount: null,
    final_payment_on: '2027-01-01',
    final_payment_amount: money(7),
    number_of_payments: '12',
    ...creditor,
    updated_at_ms: 1,
    ...changes,
  };
}

function newPayment(account_id: number, changes: Partial<ScheduledPayment> = {}): Omit<ScheduledPayment, 'id'> {
  return {
    account_id,
    reference: 'P1',
    status: 'pending',
    scheduled_on: '2026-05-20',
    scheduled_type: 'Execution',
    amount: money(9),
    payment_reference: null,
    ...creditor,
    updated_at_ms: 1,
    ...changes,
  };
}

async function makeAccount(tx: Pick<StorageTx, 'accounts' | 'companies'>, changes: Partial<Account> = {}) {
  return await tx.accounts.insert(newAccount((await makeCompany(tx)).id, changes));
}

type ReadPage<Item> = (page: TwoWayPageRequest) => Promise<TwoWayPage<Item>>;

/**
 * All items, page by page to the end. Each page is also read from the one after it, and from the
 * first page nothing leads back.
 */
async function everyPageBothWays<Item>(read: ReadPage<Item>, limit: number): Promise<readonly Item[]> {
  const pages: TwoWayPage<Item>[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: TwoWayPage<Item> = await read({ limit, ...(cursor === undefined ? {} : { cursor }) });
    pages.push(page);
    cursor = page.next;
  }
  assertEqual(pages[0]!.prev, null, 'what is before the first page');
  for (let at = pages.length - 1; at > 0; at -= 1) {
    const back = await read({ limit, cursor: pages[at]!.prev! });
    assertEqual(back.items, pages[at - 1]!.items, `page ${at - 1}, from the one after it`);
    assertEqual([back.next === null, back.prev === null], [false, at === 1], `what is beside page ${at - 1}`);
  }
  assertEqual(
    pages.slice(0, -1).every(({ items }) => items.length === limit),
    true,
    'all but the last page are full',
  );
  return pages.flatMap(({ items }) => items);
}

function referencesOf(rows: readonly { readonly bank_reference: string | null }[]) {
  return rows.map(({ bank_reference }) => bank_reference);
}

export function bankStoreContract(runs: PropertyRuns = { numRuns: 25 }): readonly ContractRule<StorageUnderTest>[] {
  return [
    rule(
      'a user is read as it was put last, and users are listed in the order in which they were made, of one company or of all',
      async (storage) => {
        const { mine, users } = await storage.unitOfWork.run(async (tx) => {
          const [one, other] = [await makeCompany(tx), await makeCompany(tx)];
          const made = [newUser(one.id), newUser(one.id), newUser(other.id), newUser(one.id)];
          made.reverse();
          await tx.bank.putUsers([]);
          await tx.bank.putUsers(made);
          const changed: BankUser = {
            ...made[2]!,
            name: 'Another',
            status: 'partially_set_up',
            eligible_services: [],
            configured_services: ['aisp', 'cbpii'],
            may_view_direct_debits: false,
            viewable_accounts: [],
            updated_at_ms: 10 ** 13,
          };
          await tx.bank.putUsers([changed, made[0]!]);
          return { mine: one.id, users: [made[0]!, made[1]!, changed, made[3]!] };
        });
        await (await anotherOf(storage)).unitOfWork.read(async ({ bank }) => {
          assertEqual(await bank.findUser(users[2]!.user_id), users[2], 'the changed one');
          for (const unknown of [users[0]!.user_id.toUpperCase(), '', 'a\0b', '\ud800']) {
            assertEqual(await bank.findUser(unknown), null, `the user ${JSON.stringify(unknown)}`);
          }
          const ids_of_users = [users[2]!.user_id, 'none', users[0]!.user_id];
          const companies = await bank.companiesOfUsers(ids_of_users);
          assertEqual(companies.get(users[2]!.user_id), users[2]!.company_id, 'the company of a user');
          assertEqual([companies.size, (await bank.companiesOfUsers([])).size], [2, 0], 'how many companies');
          const its = await everyPageBothWays((page) => bank.listUsers({ company_id: mine }, page), 2);
          assertEqual(its, [users[0], users[2], users[3]], 'those of one company');
          const all = await everyPageBothWays((page) => bank.listUsers({}, page), 3);
          const ids = users.map(({ user_id }) => user_id);
          assertEqual(
            all.filter(({ user_id }) => ids.includes(user_id)),
            users,
            'those of all',
          );
        });
      },
    ),
    rule(
      'a company is eligible for nothing until it is set up, and is active while it is not closed',
      async ({ unitOfWork }) => {
        await unitOfWork.run(async (tx) => {
          const { id: company_id } = await makeCompany(tx);
          const unset = { company_id, is_active: true, eligible_services: [], is_configured: false };
          assertEqual(await tx.bank.findCompany(company_id), unset, 'before');
          for (const is_configured of [true, false]) {
            await tx.bank.putCompany({ company_id, eligible_services: ['cbpii'], is_configured });
            const set_up = { company_id, is_active: true, eligible_services: ['cbpii'], is_configured };
            assertEqual(await tx.bank.findCompany(company_id), set_up, 'after');
          }
          const closed = await tx.companies.insert(companyRow({ status: 'closed' }));
          assertEqual((await tx.bank.findCompany(closed.id))?.is_active, false, 'a closed one');
          assertEqual(await tx.bank.findCompany(999_999_999), null, 'an unknown one');
        });
      },
    ),
    rule('accounts are found by number with their profile, and by what identifies them', async ({ unitOfWork }) => {
      await unitOfWork.run(async (tx) => {
        const [one, two] = [await makeAccount(tx), await makeAccount(tx)];
        const profile = {
          account_id: one.id,
          scheme_name: 'UK.OBIE.BBAN',
          identification: `bban-${one.number}`,
          secondary_identification: '7',
          holder_name: 'É😀',
          nickname: 'Bills',
          description: null,
          account_type: 'Personal',
          deposit_sub_type: 'Savings',
          opened_on: '2020-02-29',
          status: 'Disabled',
          status_updated_at_ms: 4,
          servicer_scheme_name: 'UK.OBIE.BICFI',
          servicer_identification: 'TALYGB2LXXX',
        } as const;
        await tx.bank.putProfiles([{ ...profile, nickname: 'Old', opened_on: null }]);
        await tx.bank.putProfiles([profile]);
        const numbers = [two.number, 'none', one.number];
        const found = [
          { ...one, profile },
          { ...two, profile: null },
        ].sort((a, b) => (a.number < b.number ? -1 : 1));
        assertEqual(await tx.bank.accountsByNumber(numbers), found, 'by number');
        assertEqual(await tx.bank.accountsByNumber([]), [], 'by no number');
        const idOf = async (scheme: string, identification: string) =>
          (await tx.bank.findAccount(scheme, identification))?.id ?? null;
        assertEqual(await idOf('UK.OBIE.BBAN', profile.identification), one.id, 'by its identification');
        assertEqual(await idOf('UK.OBIE.IBAN', profile.identification), null, 'in another scheme');
        assertEqual(await idOf('UK.OBIE.IBAN', two.number), two.id, 'by its number, in any scheme');
        assertEqual(await idOf('UK.OBIE.BBAN', 'none'), null, 'by an unknown identification');
      });
    }),
    rule(
      'profiles are put many at once, and found by account, and by identification in any scheme',
      async ({ unitOfWork }) => {
        await unitOfWork.run(async (tx) => {
          const { bank } = tx;
          const accounts: Account[] = [];
          for (let at = 0; at < 6; at += 1) accounts.push(await makeAccount(tx));
          const schemes = ['UK.OBIE.IBAN', 'UK.OBIE.BBAN', null, 'Bank.Own', 'UK.OBIE.IBAN'];
          const profiles = schemes.map((scheme_name, at) => {
            const shared = at === 4 ? 'é😀 other' : 'é😀 same';
            return newProfile(accounts[at]!.id, {
              scheme_name,
              identification: scheme_name === null ? null : `${shared} ${accounts[0]!.number}`,
            });
          });
          await bank.putProfiles([]);
          await bank.putProfiles(profiles);
          const found = async (read: Promise<readonly AccountProfile[]>) =>
            (await read).toSorted((a, b) => a.account_id - b.account_id);
          const ids = accounts.map(({ id }) => id);
          assertEqual(await found(bank.profilesOf(ids)), profiles, 'by account');
          assertEqual(await bank.profilesOf([]), [], 'of no account');
          const wanted = [`é😀 same ${accounts[0]!.number}`, 'none', ''];
          const [iban, bban, _, own, other] = profiles as [AccountProfile, ...AccountProfile[]];
          assertEqual(await found(bank.profilesByIdentification(wanted)), [iban, bban!, own!], 'by identification');
          assertEqual(await bank.profilesByIdentification([]), [], 'by no identification');
          const changed = [
            { ...bban!, identification: other!.identification },
            { ...other!, scheme_name: null, identification: null },
          ];
          await bank.putProfiles(changed);
          assertEqual(await bank.profilesByIdentification([other!.identification!]), [changed[0]!], 'after a change');
        });
      },
    ),
    rule(
      'a balance is the reported one or that of the last statement, whichever is later, else 0',
      async ({ unitOfWork }) => {
        await unitOfWork.run(async (tx) => {
          const { bank, accounts } = tx;
          const day_end_ms = Date.UTC(2026, 4, 21);
          const account = await makeAccount(tx, { created_at_ms: 8 });
          const other = await makeAccount(tx);
          const of = async () => (await bank.balancesOf([account.id]))[0];
          const zero = { account_id: account.id, booked: 0, available: 0, credit_line: null, as_of_ms: 8 };
          assertEqual(await of(), zero as never, 'nothing is known');
          assertEqual((await bank.balancesOf([])).length, 0, 'of no account');
          assertEqual(
            rising((await bank.balancesOf([account.id, other.id])).map(({ account_id }) => account_id)),
            rising([account.id, other.id]),
            'one for each account',
          );
          await accounts.updateEnds({
            id: account.id,
            first_statement: { as_of: '2026-05-19', balance: money(1) },
            last_statement: { as_of: '2026-05-20', balance: money(-700) },
          });
          const stated = { ...zero, booked: -700, available: -700, as_of_ms: day_end_ms };
          assertEqual(await of(), stated as never, 'of the last statement');
          const reported = {
            account_id: account.id,
            booked: money(-(10 ** 14)),
            available: money(10 ** 14),
            credit_line: money(10 ** 12),
            as_of_ms: day_end_ms - 1,
          };
          assertEqual(await bank.putBalances([reported]), [true], 'an earlier one is stored');
          assertEqual(await of(), { ...stated, credit_line: money(10 ** 12) } as never, 'the statement is later');
          assertEqual(await bank.putBalances([{ ...reported, as_of_ms: day_end_ms + 5 }]), [true], 'a later one');
          assertEqual(await of(), { ...reported, as_of_ms: day_end_ms + 5 }, 'the reported one is later');
          assertEqual(
            await bank.putBalances([{ ...reported, booked: money(1), as_of_ms: day_end_ms + 4 }]),
            [false],
            'late',
          );
          assertEqual(await of(), { ...reported, as_of_ms: day_end_ms + 5 }, 'after one that came late');
          assertEqual(
            await bank.putBalances([{ ...reported, booked: money(2), as_of_ms: day_end_ms + 5 }]),
            [true],
            'again',
          );
          assertEqual((await of())?.booked, money(2), 'of two of one time, the last one');
        });
      },
    ),
    rule(
      'balances are put many at once in their order, each unless a later one is stored, also by two processes',
      async (storage) => {
        const ids = await storage.unitOfWork.run(async (tx) => [
          (await makeAccount(tx)).id,
          (await makeAccount(tx)).id,
          (await makeAccount(tx)).id,
        ]);
        const [one, two, three] = ids as [number, number, number];
        const balance = (account_id: number, as_of_ms: number, booked: number) => ({
          account_id,
          booked: money(booked),
          available: money(-booked),
          credit_line: booked === 1 ? null : money(booked),
          as_of_ms,
        });
        const put = (balances: readonly ReturnType<typeof balance>[]) =>
          storage.unitOfWork.run(({ bank }) => bank.putBalances(balances));
        const find = async () => {
          const found = await storage.unitOfWork.read(({ bank }) => bank.balancesOf(ids));
          return found.toSorted((a, b) => a.account_id - b.account_id);
        };
        assertEqual(await put([]), [], 'none');
        assertEqual(await put([balance(two, 50, 1), balance(one, 5, 1)]), [true, true], 'the first ones');
        const several = [
          balance(two, 49, 2),
          balance(one, 4, 2),
          balance(one, 7, 3),
          balance(three, 1, 1),
          balance(one, 6, 4),
          balance(one, 7, 5),
          balance(three, 2, 6),
        ];
        const stored = [false, false, true, true, false, true, true];
        assertEqual(await put(several), stored, 'which are stored');
        assertEqual(await find(), [balance(one, 7, 5), balance(two, 50, 1), balance(three, 2, 6)], 'what is stored');
        assertEqual(await put([balance(two, 1, 9)]), [false], 'only older ones');
        const processes = [storage, await anotherOf(storage)];
        await Promise.all(
          processes.map(({ unitOfWork }, at) => {
            const of_all = ids.map((id) => balance(id, 100 + at, 100 + at));
            return unitOfWork.run(({ bank }) => bank.putBalances(at === 0 ? of_all : of_all.toReversed()));
          }),
        );
        const latest = ids.map((id) => balance(id, 101, 101));
        assertEqual(await find(), latest, 'after two processes at once');
      },
    ),
    rule('a balance moves from what it is, and two processes that move it at once lose nothing', async (storage) => {
      const account = await storage.unitOfWork.run(makeAccount);
      const processes = [storage, await anotherOf(storage)];
      const moves = processes.flatMap(({ unitOfWork }, at) =>
        [1, 10, 100].map((amount) =>
          unitOfWork.run(({ bank }) => bank.moveBalance(account.id, amount * (at + 1), amount)),
        ),
      );
      await Promise.all(moves);
      const moved = await storage.unitOfWork.run(({ bank }) => bank.moveBalance(account.id, -3, 7));
      const expected = { account_id: account.id, booked: 330, available: 330, credit_line: null, as_of_ms: 100 };
      assertEqual(moved, expected as never, 'what a move returns');
      await storage.unitOfWork.read(async ({ bank }) => {
        assertEqual((await bank.balancesOf([account.id]))[0], expected as never, 'what is stored');
      });
    }),
    rule(
      'a balance that was not reported, or is older than the last statement, moves from that of the statement',
      async ({ unitOfWork }) => {
        await unitOfWork.run(async (tx) => {
          const { bank, accounts } = tx;
          const day_end_ms = Date.UTC(2026, 4, 21);
          const [unreported, older] = [await makeAccount(tx), await makeAccount(tx)];
          const reported = { booked: money(1), available: money(2), credit_line: money(50), as_of_ms: day_end_ms - 1 };
          await bank.putBalances([{ account_id: older.id, ...reported }]);
          for (const [{ id }, credit_line] of [
            [unreported, null],
            [older, 50],
          ] as const) {
            await accounts.updateEnds({
              id,
              first_statement: { as_of: '2026-05-19', balance: money(1) },
              last_statement: { as_of: '2026-05-20', balance: money(-700) },
            });
            const moved = { account_id: id, booked: -690, available: -690, credit_line, as_of_ms: day_end_ms };
            assertEqual(await bank.moveBalance(id, 10, 5), moved as never, 'what a move returns');
            assertEqual((await bank.balancesOf([id]))[0], moved as never, 'what is stored');
          }
        });
      },
    ),
    rule('a balance moves no further than Open Banking can show it', async ({ unitOfWork }) => {
      await unitOfWork.run(async (tx) => {
        const { id } = await makeAccount(tx);
        const max = money(10 ** 15 - 1);
        const reported = { booked: money(max - 1), available: money(-5), credit_line: null, as_of_ms: 3 };
        await tx.bank.putBalances([{ account_id: id, ...reported }]);
        const moved = { account_id: id, booked: max, available: -3, credit_line: null, as_of_ms: 7 };
        assertEqual(await tx.bank.moveBalance(id, 2, 7), moved as never, 'what a move returns');
        assertEqual((await tx.bank.balancesOf([id]))[0], moved as never, 'what is stored');
      });
    }),
    rule(
      'shown transactions are recorded once by reference, stay as they are, and are no statement lines',
      async (storage) => {
        const [account, other] = await storage.unitOfWork.run(async (tx) => [
          await makeAccount(tx),
          await makeAccount(tx),
        ]);
        const { id } = account!;
        const rows = Array.from({ length: 1_000 }, (_, at) => newShown(id, { bank_reference: `R${at}` }));
        const processes = [storage, await anotherOf(storage)];
        const recorded = await Promise.all(
          processes.map(({ unitOfWork }) => unitOfWork.run(({ bank }) => bank.recordShown(rows))),
        );
        assertEqual(rising(recorded), [0, 1_000], 'how many each of two processes recorded');
        await storage.unitOfWork.run(async (tx) => {
          const again = [newShown(id, { bank_reference: 'R0', text: 'changed' }), newShown(other!.id)];
          assertEqual(await tx.bank.recordShown(again), 1, 'a known one, and one of another account');
          assertEqual(await tx.bank.recordShown([]), 0, 'none');
          assertEqual(
            (await tx.bank.shownReferences(id, ['R5', 'none', 'S1', 'R0'])).toSorted(),
            ['R0', 'R5'],
            'known',
          );
          assertEqual(await tx.bank.shownReferences(id, []), [], 'of no reference');
          assertEqual((await tx.accounts.listLines(id, {}, { limit: 1 })).items, [], 'statement lines');
          const { items } = await tx.bank.transactionsOf(other!.id, {}, { limit: 1 });
          const { recorded_at_ms: _, ...shown } = newShown(other!.id);
          assertEqual(items, [{ ...shown, transaction_id: items[0]!.transaction_id }], 'as it was recorded');
        });
      },
    ),
    rule(
      'transactions are statement lines and shown ones in one order, on pages in both directions that omit none',
      async (storage) => {
        const days = ['2026-05-18', '2026-05-19', '2026-05-20', '2026-05-21'];
        const sources = fc.constantFrom<TransactionSource>('line', 'shown');
        const rows = fc.array(fc.record({ source: sources, booking_date: fc.constantFrom(...days) }), {
          maxLength: 14,
        });
        const end = fc.option(fc.constantFrom('2026-05-17', ...days, '2026-05-22'), { nil: undefined });
        await fc.assert(
          fc.asyncProperty(rows, end, end, fc.integer({ min: 1, max: 5 }), async (drawn, from, to, limit) => {
            const account = await storage.unitOfWork.run(async (tx) => {
              const made = await makeAccount(tx);
              for (const [at, { source, booking_date }] of drawn.entries()) {
                const fields = { bank_reference: String(at), booking_date };
                if (source === 'line') await tx.accounts.recordLines([newLine(made, fields)]);
                else await tx.bank.recordShown([newShown(made.id, fields)]);
              }
              return made;
            });
            // Ids of each source rise in the order in which rows were recorded.
            const expected = drawn
              .map((row, id) => ({ ...row, id, bank_reference: String(id) }))
              .filter(({ booking_date }) => booking_date >= (from ?? '') && booking_date <= (to ?? '9999'))
              .sort(compareTransactions);
            const dates = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
            await storage.unitOfWork.read(async ({ bank }) => {
              const read: ReadPage<BookedTransaction> = (page) => bank.transactionsOf(account.id, dates, page);
              const listed = await everyPageBothWays(read, limit);
              assertEqual(referencesOf(listed), referencesOf(expected), 'the transactions');
              const ids = new Set(listed.map(({ transaction_id }) => transaction_id));
              assertEqual(ids.size, listed.length, 'how many ids there are');
            });
          }),
          runs,
        );
      },
    ),
    rule('a statement line is read with its balance and without a merchant', async ({ unitOfWork }) => {
      await unitOfWork.run(async (tx) => {
        const account = await makeAccount(tx);
        await tx.accounts.recordLines([newLine(account, { balance_after: money(-42), bank_reference: 'L' })]);
        const { items } = await tx.bank.transactionsOf(account.id, {}, { limit: 5 });
        const {
          currency: _1,
          company_id: _2,
          statement_id: _3,
          place: _4,
          occurrence: _5,
          recorded_at_ms: _6,
          standing: _7,
          ...line
        } = newLine(account, { balance_after: money(-42), bank_reference: 'L' });
        const { transaction_id } = items[0]!;
        const none = { merchant_name: null, merchant_category_code: null };
        assertEqual(items, [{ ...line, ...none, transaction_id }], 'the line');
      });
    }),
    rule(
      'only active mandates, and orders and payments that are pending on the date, are read, by account and id',
      async ({ unitOfWork }) => {
        await unitOfWork.run(async (tx) => {
          const { bank } = tx;
          const [one, two, foreign] = [await makeAccount(tx), await makeAccount(tx), await makeAccount(tx)];
          const of = [one.id, two.id];
          const today = '2026-05-20';
          const accounts = [two.id, one.id, foreign.id, one.id];
          await bank.putDirectDebits([
            ...accounts.map((account_id, at) => newMandate(account_id, { mandate_reference: `M${at}` })),
            newMandate(one.id, { mandate_reference: 'X', status: 'inactive' }),
          ]);
          await bank.putStandingOrders([
            ...accounts.map((account_id, at) => newOrder(account_id, { reference: `M${at}` })),
            newOrder(one.id, { reference: 'X', status: 'inactive' }),
            newOrder(one.id, { reference: 'Y', next_payment_on: '2026-05-19' }),
            newOrder(one.id, { reference: 'Z', next_payment_on: null, next_payment_amount: null }),
          ]);
          await bank.putScheduledPayments([
            ...accounts.map((account_id, at) => newPayment(account_id, { reference: `M${at}` })),
            newPayment(one.id, { reference: 'X', status: 'executed' }),
            newPayment(one.id, { reference: 'Y', status: 'cancelled' }),
            newPayment(one.id, { reference: 'Z', scheduled_on: '2026-05-19' }),
          ]);
          await bank.putDirectDebits([]);
          const reads = {
            mandates: (page: TwoWayPageRequest) => bank.activeDirectDebits(of, page),
            orders: (page: TwoWayPageRequest) => bank.pendingStandingOrders(of, today, page),
            payments: (page: TwoWayPageRequest) => bank.pendingScheduledPayments(of, today, page),
          };
          for (const [name, read] of Object.entries(reads)) {
            const rows = await everyPageBothWays<object>(read, 2);
            const references = rows.map((row) => {
              const { mandate_reference, reference = mandate_reference } = row as {
                readonly reference?: string;
                readonly mandate_reference?: string;
              };
              return reference;
            });
            assertEqual(references, ['M1', 'M3', 'M0'], name);
          }
          const nobody = [
            await bank.activeDirectDebits([], { limit: 5 }),
            await bank.pendingStandingOrders([], today, { limit: 5 }),
            await bank.pendingScheduledPayments([], today, { limit: 5 }),
          ];
          assertEqual(
            nobody.flatMap(({ items }) => items as readonly object[]),
            [],
            'of no account',
          );
        });
      },
    ),
    rule(
      'a mandate, an order and a payment that is put again replaces the one with its reference, with its id',
      async ({ unitOfWork }) => {
        await unitOfWork.run(async (tx) => {
          const { bank } = tx;
          const { id } = await makeAccount(tx);
          const page = { limit: 5 };
          const read = async () => [
            (await bank.activeDirectDebits([id], page)).items,
            (await bank.pendingStandingOrders([id], '2026-05-20', page)).items,
            (await bank.pendingScheduledPayments([id], '2026-05-20', page)).items,
          ];
          await bank.putDirectDebits([newMandate(id)]);
          await bank.putStandingOrders([newOrder(id)]);
          await bank.putScheduledPayments([newPayment(id)]);
          const ids = (await read()).map(([row]) => row!.id);
          const mandate = newMandate(id, { name: 'B', previous_payment_on: null, previous_payment_amount: null });
          const order = newOrder(id, { next_payment_on: '2099-01-01', creditor_name: 'É😀', number_of_payments: null });
          const payment = newPayment(id, { amount: money(1), scheduled_type: 'Arrival', payment_reference: 'X' });
          await bank.putDirectDebits([mandate]);
          await bank.putStandingOrders([order]);
          await bank.putScheduledPayments([payment]);
          assertEqual(
            await read(),
            [mandate, order, payment].map((row, at) => [{ ...row, id: ids[at]! }]) as never,
            'what is stored',
          );
        });
      },
    ),
    rule('a cursor of another list, and other text, are refused', async ({ unitOfWork }) => {
      await unitOfWork.run(async (tx) => {
        const { bank } = tx;
        const { id } = await makeAccount(tx);
        await bank.putDirectDebits([newMandate(id), newMandate(id, { mandate_reference: 'M2' })]);
        const { next } = await bank.activeDirectDebits([id], { limit: 1 });
        for (const cursor of [next!, 'none', '']) {
          const page = { limit: 1, cursor };
          const refusals = [
            await refusalOf(bank.transactionsOf(id, {}, page), 'transactions'),
            await refusalOf(bank.pendingStandingOrders([id], '2026-05-20', page), 'orders'),
            await refusalOf(bank.listUsers({}, page), 'users'),
          ];
          for (const { code, fields } of refusals)
            assertEqual([code, fields[0]?.path], ['invalid_query', 'page'], cursor);
        }
      });
    }),
  ];
}
