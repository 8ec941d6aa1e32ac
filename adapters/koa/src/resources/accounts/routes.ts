import { listAccounts, openAccount, readAccount } from '@tallystick/accounts';
import { type CardVault, refuseNumbersOfCards } from '@tallystick/cards';
import { invalid, Refusal, showValue } from '@tallystick/kernel';
import { filter_id } from '@tallystick/operations';
import * as z from 'zod';
import { list, resource } from '../../answer/answer.ts';
import { namedIn } from '../../request/query.ts';
import { type ApiRequest, type Route, route } from '../../request/route.ts';
import { readCompanyFilter } from '../id-filter.ts';
import { servedCompany } from '../served-company.ts';
import { presentAccount, presentMinimalAccount } from './presenter.ts';
import { account, create_account } from './shapes.ts';

const path = '/bank/v1/accounts';

const of_bank = { area: 'bank_channel', tag: 'Bank' } as const;

const company_filter = z.object({ company_id: filter_id }).partial();

/**
 * `/bank/v1/accounts`: the accounts of companies (decision: statement lines). A key of the bank
 * that belongs to a company sees and opens only the accounts of that company. The sandbox's fixed
 * key is the key of the whole bank.
 */
export function accountRoutes({ vault }: { readonly vault: Pick<CardVault, 'index'> }): readonly Route[] {
  return [
    route({
      ...of_bank,
      method: 'POST',
      path,
      operation_id: 'bank.accounts.create',
      summary: 'Open an account of a company',
      description:
        'Statements name the account by its number, which identifies no other account in its profile. Files of ' +
        'statements that were held because the account did not exist are applied by themselves.',
      refusals: ['conflict'],
      body: create_account,
      takes_back: account,
      answer: account,
      async transaction(tx, request) {
        const { data } = request.body;
        const company_id = servedCompany(request.principal);
        if (company_id !== null && data.company_id !== company_id) {
          throw invalid({ path: 'company_id', message: `must be ${company_id}, the company of the key` });
        }
        const { request_id, now_ms } = request;
        const opened = await openAccount(tx, { actor: request.actor, request_id, now_ms }, data);
        await refuseNumbersOfCards(tx, { vault }, { number: opened.number });
        return resource(presentAccount(opened));
      },
    }),
    route({
      ...of_bank,
      method: 'GET',
      path,
      operation_id: 'bank.accounts.list',
      summary: 'List the accounts of one company or of all companies, newest first',
      query: { paged: true, filters: namedIn(company_filter) },
      filter: company_filter,
      answer: z.array(account),
      async transaction(tx, { principal, query }) {
        const wanted = readCompanyFilter(query);
        const own = servedCompany(principal);
        if (own !== null && wanted !== null && wanted !== own) {
          return list(query, { items: [], next: null }, presentAccount, presentMinimalAccount);
        }
        const company_id = own ?? wanted;
        const page = await listAccounts(tx, company_id === null ? {} : { company_id }, query.page);
        return list(query, page, presentAccount, presentMinimalAccount);
      },
    }),
    route({
      ...of_bank,
      method: 'GET',
      path: `${path}/:number`,
      operation_id: 'bank.accounts.read',
      summary: 'Read an account',
      answer: account,
      transaction: async (tx, request) => resource(presentAccount(await readOwn(tx, request))),
    }),
  ];
}

/** The account, unless the key belongs to another company. Refuses `not_found`. */
async function readOwn(tx: Parameters<typeof readAccount>[0], { number, principal }: ApiRequest) {
  const found = await readAccount(tx, number);
  const company_id = servedCompany(principal);
  if (company_id === null || found.company_id === company_id) return found;
  throw new Refusal('not_found', `there is no account ${showValue(number)}`);
}
