import { putBankCompany, readBankCompany } from '@tallystick/accounts';
import { data_of_domain } from '@tallystick/operations';
import { resource } from '../../answer/answer.ts';
import { type Route, route } from '../../request/route.ts';
import { callOf } from '../operator/routes.ts';
import { servedCompany } from '../served-company.ts';
import { presentBankCompany } from './presenter.ts';
import { company, put_company } from './shapes.ts';

const of_bank = { area: 'bank_channel', tag: 'Bank' } as const;

const path = '/bank/v1/companies/:id/open-banking';

/**
 * `/bank/v1/companies/:id/open-banking`: what the bank allows a company in the third-party channel
 * (service specification 5.6).
 */
export function bankCompanyRoutes(): readonly Route[] {
  return [
    route({
      ...of_bank,
      method: 'GET',
      path,
      operation_id: 'bank.companies.openBanking.read',
      summary: 'Read what a company may do in Open Banking',
      answer: company,
      async transaction(tx, { id, principal }) {
        const served_company_id = servedCompany(principal);
        return resource(presentBankCompany(await readBankCompany(tx, { served_company_id }, id)));
      },
    }),
    route({
      ...of_bank,
      method: 'PUT',
      path,
      operation_id: 'bank.companies.openBanking.put',
      summary: 'Set what a company may do in Open Banking',
      description: 'A company that was not set up is eligible for nothing.',
      body: data_of_domain,
      documented_body: put_company,
      takes_back: company,
      answer: company,
      async transaction(tx, request) {
        const call = { ...callOf(request), served_company_id: servedCompany(request.principal) };
        return resource(presentBankCompany(await putBankCompany(tx, call, request.id, request.body.data)));
      },
    }),
  ];
}
