import { putAccountBalance, putAccountProfile, servedAccount } from '@tallystick/accounts';
import { type CardVault, refuseNumbersOfCards } from '@tallystick/cards';
import { dayAt, Refusal, showValue } from '@tallystick/kernel';
import { data_of_domain } from '@tallystick/operations';
import { readDateRange } from '@tallystick/reconciliation';
import * as z from 'zod';
import { resource } from '../../answer/answer.ts';
import type { HttpTx } from '../../request/http-tx.ts';
import { namedIn, readFilters } from '../../request/query.ts';
import { type ApiRequest, type Route, route } from '../../request/route.ts';
import { callOf } from '../operator/routes.ts';
import { dates } from '../reconciliation/filter-shapes.ts';
import { servedCompany } from '../served-company.ts';
import { direct_debit, scheduled_payment, standing_order, transaction } from './list-shapes.ts';
import {
  presentBalance,
  presentDirectDebit,
  presentProfile,
  presentScheduledPayment,
  presentStandingOrder,
  presentTransaction,
} from './presenter.ts';
import { balance, profile, put_balance, put_profile } from './shapes.ts';
import { twoWayList } from './two-way-list.ts';

const path = '/bank/v1/accounts/:number';

const of_bank = { area: 'bank_channel', tag: 'Bank' } as const;

const transaction_filter = z.object({ booking_date: dates }).partial();

/**
 * What Open Banking reads of an account: profile and balance, which the bank puts, and transactions
 * and orders, which it reports at `/bank/v1/records`.
 */
export function bankAccountRoutes({ vault }: { readonly vault: Pick<CardVault, 'index'> }): readonly Route[] {
  return [
    route({
      ...of_bank,
      method: 'GET',
      path: `${path}/profile`,
      operation_id: 'bank.accounts.profile.read',
      summary: 'Read how third parties see an account',
      description: 'An account without a profile (404) is identified by its number.',
      answer: profile,
      async transaction(tx, request) {
        const account = await accountOf(tx, request);
        if (account.profile !== null) return resource(presentProfile(account, account.profile));
        throw new Refusal('not_found', `the account ${showValue(account.number)} has no profile`);
      },
    }),
    route({
      ...of_bank,
      method: 'PUT',
      path: `${path}/profile`,
      operation_id: 'bank.accounts.profile.put',
      summary: 'Set how third parties see an account',
      description:
        'Fields that are absent have their defaults. Refused with 409 when another account has the scheme and ' +
        'identification.',
      refusals: ['conflict'],
      body: data_of_domain,
      documented_body: put_profile,
      takes_back: profile,
      answer: profile,
      async transaction(tx, request) {
        const { number } = request;
        const put = await putAccountProfile(tx, bankCallOf(request), number, request.body.data);
        const { identification, servicer_identification } = put;
        await refuseNumbersOfCards(tx, { vault }, { identification, servicer_identification });
        return resource(presentProfile({ number }, put));
      },
    }),
    route({
      ...of_bank,
      method: 'GET',
      path: `${path}/balance`,
      operation_id: 'bank.accounts.balance.read',
      summary: 'Read the balance of an account',
      description:
        'The one that the bank reported, or the closing balance of the last statement, whichever is later; else 0.',
      answer: balance,
      async transaction(tx, request) {
        const account = await accountOf(tx, request);
        const [found] = await tx.bank.balancesOf([account.id]);
        return resource(presentBalance(account, found!));
      },
    }),
    route({
      ...of_bank,
      method: 'PUT',
      path: `${path}/balance`,
      operation_id: 'bank.accounts.balance.put',
      summary: 'Report the balance of an account',
      description: 'Refused with 409 when a balance with a later `as_of` was reported.',
      refusals: ['conflict'],
      body: data_of_domain,
      documented_body: put_balance,
      takes_back: balance,
      answer: balance,
      async transaction(tx, request) {
        const put = await putAccountBalance(tx, bankCallOf(request), request.number, request.body.data);
        return resource(presentBalance(await accountOf(tx, request), put));
      },
    }),
    route({
      ...of_bank,
      method: 'GET',
      path: `${path}/transactions`,
      operation_id: 'bank.accounts.transactions.list',
      summary: 'List the booked transactions of an account, newest first',
      query: { paged: true, items_stay_whole: true, filters: namedIn(transaction_filter) },
      filter: transaction_filter,
      answer: z.array(transaction),
      async transaction(tx, request) {
        const dates = readFilters(request.query, (filters) => readDateRange('booking_date', filters));
        const account = await accountOf(tx, request);
        return await twoWayList(
          request.query,
          (page) => tx.bank.transactionsOf(account.id, dates, page),
          (item) => presentTransaction(account, item),
        );
      },
    }),
    route({
      ...of_bank,
      method: 'GET',
      path: `${path}/direct-debits`,
      operation_id: 'bank.accounts.directDebits.list',
      summary: 'List the active direct debit mandates of an account',
      query: { paged: true, items_stay_whole: true },
      answer: z.array(direct_debit),
      async transaction(tx, request) {
        const account = await accountOf(tx, request);
        return await twoWayList(
          request.query,
          (page) => tx.bank.activeDirectDebits([account.id], page),
          (item) => presentDirectDebit(account, item),
        );
      },
    }),
    route({
      ...of_bank,
      method: 'GET',
      path: `${path}/standing-orders`,
      operation_id: 'bank.accounts.standingOrders.list',
      summary: 'List the pending standing orders of an account',
      query: { paged: true, items_stay_whole: true },
      answer: z.array(standing_order),
      async transaction(tx, request) {
        const account = await accountOf(tx, request);
        return await twoWayList(
          request.query,
          (page) => tx.bank.pendingStandingOrders([account.id], dayAt(request.now_ms), page),
          (item) => presentStandingOrder(account, item),
        );
      },
    }),
    route({
      ...of_bank,
      method: 'GET',
      path: `${path}/scheduled-payments`,
      operation_id: 'bank.accounts.scheduledPayments.list',
      summary: 'List the pending scheduled payments of an account',
      query: { paged: true, items_stay_whole: true },
      answer: z.array(scheduled_payment),
      async transaction(tx, request) {
        const account = await accountOf(tx, request);
        return await twoWayList(
          request.query,
          (page) => tx.bank.pendingScheduledPayments([account.id], dayAt(request.now_ms), page),
          (item) => presentScheduledPayment(account, item),
        );
      },
    }),
  ];
}

/** The account, unless the key belongs to another company. Refuses `not_found`. */
function accountOf(tx: Pick<HttpTx, 'bank'>, { number, principal }: ApiRequest) {
  return servedAccount(tx, { served_company_id: servedCompany(principal) }, number);
}

function bankCallOf(request: ApiRequest) {
  return { ...callOf(request), served_company_id: servedCompany(request.principal) };
}
