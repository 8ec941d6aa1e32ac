import { putBankCompany, putBankUser, readBankCompany } from '@tallystick/accounts';
import { type CardVault, refuseNumbersOfCards } from '@tallystick/cards';
import { Refusal, showValue } from '@tallystick/kernel';
import * as z from 'zod';
import { readCompanyFilter, readTwoWay } from '../call/query.ts';
import { company_filter, data_of_domain } from '../fields.ts';
import { bankCall, type Operation, operation, present, servedCompany } from '../operation.ts';
import { presentBankCompany, presentUser } from './presenter.ts';
import { company, put_company, put_user, user } from './shapes.ts';

/**
 * The users of the bank's online channels, who authorise consents, and what the bank allows a
 * company in the third-party channel (service specification 5.6). A caller that belongs to a company
 * sees and changes only its users.
 */
export function bankOperations({ vault }: { readonly vault: Pick<CardVault, 'index'> }): readonly Operation[] {
  return [
    operation('bank_channel', {
      id: 'bank.users.list',
      summary: 'List the users of the bank, in the order in which they were added',
      query: { paged: true, filter: company_filter },
      answer: z.array(user),
      async read({ bank }, call) {
        const wanted = readCompanyFilter(call.query);
        const own = servedCompany(call);
        const is_of_other = own !== null && wanted !== null && wanted !== own;
        const company_id = own ?? wanted;
        return present(
          await readTwoWay(call.query, async (page) =>
            is_of_other
              ? { items: [], next: null, prev: null }
              : await bank.listUsers(company_id === null ? {} : { company_id }, page),
          ),
          presentUser,
        );
      },
    }),
    operation('bank_channel', {
      id: 'bank.users.read',
      summary: 'Read a user of the bank',
      parameters: ['user_id'],
      answer: user,
      async read({ bank }, call) {
        const { user_id } = call;
        const found = await bank.findUser(user_id);
        const own = servedCompany(call);
        if (found !== null && (own === null || own === found.company_id)) return presentUser(found);
        throw new Refusal('not_found', `there is no user ${showValue(user_id)}`);
      },
    }),
    operation('bank_channel', {
      id: 'bank.users.put',
      summary: 'Add or replace a user of the bank',
      parameters: ['user_id'],
      description:
        'Fields that are absent have their defaults. A user never changes the company. What a user may no longer do ' +
        'ends at once: consents are checked at every request.',
      refusals: ['conflict'],
      body: data_of_domain,
      documented_body: put_user,
      takes_back: user,
      answer: user,
      async write(tx, call) {
        const { user_id } = call;
        const put = await putBankUser(tx, bankCall(call), user_id, call.body.data);
        await refuseNumbersOfCards(tx, { vault }, { user_id });
        return presentUser(put);
      },
    }),
    operation('bank_channel', {
      id: 'bank.companies.openBanking.read',
      method: 'bank.openBanking.read',
      summary: 'Read what a company may do in Open Banking',
      parameters: ['id'],
      answer: company,
      async read(tx, call) {
        return presentBankCompany(await readBankCompany(tx, bankCall(call), call.id));
      },
    }),
    operation('bank_channel', {
      id: 'bank.companies.openBanking.put',
      method: 'bank.openBanking.put',
      summary: 'Set what a company may do in Open Banking',
      parameters: ['id'],
      description: 'A company that was not set up is eligible for nothing.',
      body: data_of_domain,
      documented_body: put_company,
      takes_back: company,
      answer: company,
      async write(tx, call) {
        return presentBankCompany(await putBankCompany(tx, bankCall(call), call.id, call.body.data));
      },
    }),
  ];
}
