import { putBankUser } from '@tallystick/accounts';
import { type CardVault, refuseNumbersOfCards } from '@tallystick/cards';
import { Refusal, showValue } from '@tallystick/kernel';
import { data_of_domain, filter_id } from '@tallystick/operations';
import * as z from 'zod';
import { resource } from '../../answer/answer.ts';
import { namedIn } from '../../request/query.ts';
import { type Route, route } from '../../request/route.ts';
import { readCompanyFilter } from '../id-filter.ts';
import { callOf } from '../operator/routes.ts';
import { servedCompany } from '../served-company.ts';
import { presentMinimalUser, presentUser } from './presenter.ts';
import { put_user, user } from './shapes.ts';
import { twoWayList } from './two-way-list.ts';

const of_bank = { area: 'bank_channel', tag: 'Bank' } as const;

const company_filter = z.object({ company_id: filter_id }).partial();

/**
 * `/bank/v1/users`: the users of the bank's online channels, who authorise consents (service
 * specification 5.6). A key that belongs to a company sees and changes only its users.
 */
export function bankUserRoutes({ vault }: { readonly vault: Pick<CardVault, 'index'> }): readonly Route[] {
  return [
    route({
      ...of_bank,
      method: 'GET',
      path: '/bank/v1/users',
      operation_id: 'bank.users.list',
      summary: 'List the users of the bank, in the order in which they were added',
      query: { paged: true, filters: namedIn(company_filter) },
      filter: company_filter,
      answer: z.array(user),
      async transaction({ bank }, { principal, query }) {
        const wanted = readCompanyFilter(query);
        const own = servedCompany(principal);
        const is_of_other = own !== null && wanted !== null && wanted !== own;
        const company_id = own ?? wanted;
        return await twoWayList(
          query,
          async (page) =>
            is_of_other
              ? { items: [], next: null, prev: null }
              : await bank.listUsers(company_id === null ? {} : { company_id }, page),
          presentUser,
          presentMinimalUser,
        );
      },
    }),
    route({
      ...of_bank,
      method: 'GET',
      path: '/bank/v1/users/:user_id',
      operation_id: 'bank.users.read',
      summary: 'Read a user of the bank',
      answer: user,
      async transaction({ bank }, { params, principal }) {
        const user_id = params.user_id ?? '';
        const found = await bank.findUser(user_id);
        const own = servedCompany(principal);
        if (found !== null && (own === null || own === found.company_id)) return resource(presentUser(found));
        throw new Refusal('not_found', `there is no user ${showValue(user_id)}`);
      },
    }),
    route({
      ...of_bank,
      method: 'PUT',
      path: '/bank/v1/users/:user_id',
      operation_id: 'bank.users.put',
      summary: 'Add or replace a user of the bank',
      description:
        'Fields that are absent have their defaults. A user never changes the company. What a user may no longer do ' +
        'ends at once: consents are judged at every request.',
      refusals: ['conflict'],
      body: data_of_domain,
      documented_body: put_user,
      takes_back: user,
      answer: user,
      async transaction(tx, request) {
        const user_id = request.params.user_id ?? '';
        const call = { ...callOf(request), served_company_id: servedCompany(request.principal) };
        const put = await putBankUser(tx, call, user_id, request.body.data);
        await refuseNumbersOfCards(tx, { vault }, { user_id });
        return resource(presentUser(put));
      },
    }),
  ];
}
