import type { Account } from '@tallystick/accounts';
import { listAccounts, openAccount, readAccount, showAccountNumber } from '@tallystick/accounts';
import { type CardVault, refuseNumbersOfCards } from '@tallystick/cards';
import { invalid, Refusal, toInstantText } from '@tallystick/kernel';
import * as z from 'zod';
import { readCompanyFilter } from '../call/query.ts';
import { company_filter, showAs } from '../fields.ts';
import { type Operation, operation, operatorCall, present, servedCompany } from '../operation.ts';
import { account, create_account } from './shapes.ts';

/**
 * The accounts of companies (decision: statement lines). A caller of the bank that belongs to a
 * company sees and opens only the accounts of that company.
 */
export function accountOperations({ vault }: { readonly vault: Pick<CardVault, 'index'> }): readonly Operation[] {
  return [
    operation('bank_accounts', {
      id: 'bank.accounts.create',
      summary: 'Open an account of a company',
      description:
        'Statements name the account by its number, which identifies no other account in its profile. Files of ' +
        'statements that were held because the account did not exist are applied by themselves.',
      refusals: ['conflict'],
      body: create_account,
      takes_back: account,
      answer: account,
      async write(tx, call) {
        const { data } = call.body;
        const company_id = servedCompany(call);
        if (company_id !== null && data.company_id !== company_id) {
          throw invalid({ path: 'company_id', message: `must be ${company_id}, the company of the key` });
        }
        const opened = await openAccount(tx, operatorCall(call), data);
        await refuseNumbersOfCards(tx, { vault }, { number: opened.number });
        return presentAccount(opened);
      },
    }),
    operation('bank_accounts', {
      id: 'bank.accounts.list',
      summary: 'List the accounts of one company or of all companies, newest first',
      query: { paged: true, filter: company_filter },
      answer: z.array(account),
      async read(tx, call) {
        const wanted = readCompanyFilter(call.query);
        const own = servedCompany(call);
        if (own !== null && wanted !== null && wanted !== own) return { items: [], next: null };
        const company_id = own ?? wanted;
        const page = await listAccounts(tx, company_id === null ? {} : { company_id }, call.query.page);
        return present(page, presentAccount);
      },
    }),
    operation('bank_accounts', {
      id: 'bank.accounts.read',
      summary: 'Read an account',
      parameters: ['number'],
      answer: account,
      async read(tx, call) {
        const found = await readAccount(tx, call.number);
        const company_id = servedCompany(call);
        if (company_id === null || found.company_id === company_id) return presentAccount(found);
        throw new Refusal('not_found', `there is no account ${showAccountNumber(call.number)}`);
      },
    }),
  ];
}

/** An account as the bank sees it. Its id is its number. */
export function presentAccount(found: Account) {
  return showAs(account, {
    ...found,
    id: found.number,
    created_at: toInstantText(found.created_at_ms),
    type: 'account',
    url: `/bank/v1/accounts/${found.number}`,
  });
}
