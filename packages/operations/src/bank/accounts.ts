import {
  type BankAccount,
  putAccountBalance,
  putAccountProfile,
  servedAccount,
  showAccountNumber,
} from '@tallystick/accounts';
import { type CardVault, refuseNumbersOfCards } from '@tallystick/cards';
import { dayAt, Refusal, type TwoWayPage, type TwoWayPageRequest } from '@tallystick/kernel';
import { readDateRange } from '@tallystick/reconciliation';
import * as z from 'zod';
import { readFilters, readTwoWay } from '../call/query.ts';
import { data_of_domain } from '../fields.ts';
import { bankCall, type Operation, type OperationCall, type OperationTx, operation, present } from '../operation.ts';
import { dates } from '../reconciliation/range-shapes.ts';
import {
  presentBalance,
  presentDirectDebit,
  presentProfile,
  presentScheduledPayment,
  presentStandingOrder,
  presentTransaction,
} from './presenter.ts';
import {
  balance,
  direct_debit,
  profile,
  put_balance,
  put_profile,
  scheduled_payment,
  standing_order,
  transaction,
} from './shapes.ts';

const transaction_filter = z
  .object({ booking_date: dates.describe('Only those that were booked on this date or these dates') })
  .partial();

/**
 * What Open Banking reads of an account: profile and balance, which the bank puts, and transactions
 * and orders, which it reports in bulk.
 */
export function bankAccountOperations({ vault }: { readonly vault: Pick<CardVault, 'index'> }): readonly Operation[] {
  return [
    operation('bank_channel', {
      id: 'bank.accounts.profile.read',
      summary: 'Read how third parties see an account',
      parameters: ['number'],
      description: 'An account without a profile (`not_found`) is identified by its number.',
      answer: profile,
      async read(tx, call) {
        const account = await accountOf(tx, call);
        if (account.profile !== null) return presentProfile(account, account.profile);
        throw new Refusal('not_found', `the account ${showAccountNumber(account.number)} has no profile`);
      },
    }),
    operation('bank_channel', {
      id: 'bank.accounts.profile.put',
      summary: 'Set how third parties see an account',
      parameters: ['number'],
      description:
        'Fields that are absent have their defaults. Refused (`conflict`) when another account has the scheme and ' +
        'identification.',
      refusals: ['conflict'],
      body: data_of_domain,
      documented_body: put_profile,
      takes_back: profile,
      answer: profile,
      async write(tx, call) {
        const { number } = call;
        const put = await putAccountProfile(tx, bankCall(call), number, call.body.data);
        const { identification, servicer_identification } = put;
        await refuseNumbersOfCards(tx, { vault }, { identification, servicer_identification });
        return presentProfile({ number }, put);
      },
    }),
    operation('bank_channel', {
      id: 'bank.accounts.balance.read',
      summary: 'Read the balance of an account',
      parameters: ['number'],
      description:
        'The one that the bank reported, or the closing balance of the last statement, whichever is later; else 0.',
      answer: balance,
      async read(tx, call) {
        const account = await accountOf(tx, call);
        const [found] = await tx.bank.balancesOf([account.id]);
        return presentBalance(account, found!);
      },
    }),
    operation('bank_channel', {
      id: 'bank.accounts.balance.put',
      summary: 'Report the balance of an account',
      parameters: ['number'],
      description: 'Refused (`conflict`) when a balance with a later `as_of` was reported.',
      refusals: ['conflict'],
      body: data_of_domain,
      documented_body: put_balance,
      takes_back: balance,
      answer: balance,
      async write(tx, call) {
        const put = await putAccountBalance(tx, bankCall(call), call.number, call.body.data);
        return presentBalance(await accountOf(tx, call), put);
      },
    }),
    operation('bank_channel', {
      id: 'bank.accounts.transactions.list',
      method: 'bank.accounts.transactions',
      summary: 'List the booked transactions of an account, newest first',
      parameters: ['number'],
      query: { paged: true, filter: transaction_filter },
      answer: z.array(transaction),
      async read(tx, call) {
        const dates = readFilters(call.query, (filters) => readDateRange('booking_date', filters));
        const account = await accountOf(tx, call);
        return present(
          await readTwoWay(call.query, (page) => tx.bank.transactionsOf(account.id, dates, page)),
          (item) => presentTransaction(account, item),
        );
      },
    }),
    orderList({
      id: 'bank.accounts.directDebits.list',
      method: 'bank.accounts.directDebits',
      summary: 'List the active direct debit mandates of an account',
      answer: z.array(direct_debit),
      list: (bank, ids, _today, page) => bank.activeDirectDebits(ids, page),
      show: presentDirectDebit,
    }),
    orderList({
      id: 'bank.accounts.standingOrders.list',
      method: 'bank.accounts.standingOrders',
      summary: 'List the pending standing orders of an account',
      answer: z.array(standing_order),
      list: (bank, ids, today, page) => bank.pendingStandingOrders(ids, today, page),
      show: presentStandingOrder,
    }),
    orderList({
      id: 'bank.accounts.scheduledPayments.list',
      method: 'bank.accounts.scheduledPayments',
      summary: 'List the pending scheduled payments of an account',
      answer: z.array(scheduled_payment),
      list: (bank, ids, today, page) => bank.pendingScheduledPayments(ids, today, page),
      show: presentScheduledPayment,
    }),
  ];
}

/** The list of the orders of an account that have effect now. */
function orderList<Order>({
  list,
  show,
  ...described
}: {
  readonly id: string;
  readonly method: string;
  readonly summary: string;
  readonly answer: z.ZodType;
  list(
    bank: OperationTx['bank'],
    account_ids: readonly number[],
    today: string,
    page: TwoWayPageRequest,
  ): Promise<TwoWayPage<Order>>;
  show(account: BankAccount, order: Order): unknown;
}): Operation {
  return operation('bank_channel', {
    ...described,
    parameters: ['number'],
    query: { paged: true },
    async read(tx, call) {
      const account = await accountOf(tx, call);
      const today = dayAt(call.now_ms);
      const page = await readTwoWay(call.query, (asked) => list(tx.bank, [account.id], today, asked));
      return present(page, (order) => show(account, order));
    },
  });
}

/** The account, unless the caller belongs to another company. Refuses `not_found`. */
function accountOf(tx: Pick<OperationTx, 'bank'>, call: OperationCall) {
  return servedAccount(tx, bankCall(call), call.number);
}
