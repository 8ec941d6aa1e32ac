import type { BankData } from '@tallystick/accounts';
import { type Consent, withdrawConsent } from '@tallystick/consents';
import { Refusal, showValue } from '@tallystick/kernel';
import * as z from 'zod';
import { list, resource } from '../../answer/answer.ts';
import { type Caller, type Route, route } from '../../request/route.ts';
import { callOf } from '../operator/routes.ts';
import { servedCompany } from '../served-company.ts';
import { presentBankConsent, presentMinimalConsent } from './presenter.ts';
import { consent } from './shapes.ts';

const of_bank = { area: 'bank_channel', tag: 'Bank' } as const;

/**
 * The consents of the bank's users (decision: consents and reading). A key that belongs to a
 * company sees only the consents that users of the company authorised.
 */
export function consentRoutes(bank: BankData | undefined): readonly Route[] {
  return [
    route({
      ...of_bank,
      method: 'GET',
      path: '/bank/v1/consents/:consent_id',
      operation_id: 'bank.consents.read',
      summary: 'Read a consent of Open Banking',
      answer: consent,
      async transaction(tx, { params, principal }) {
        const consent_id = params.consent_id ?? '';
        const found = await tx.consents.find(consent_id);
        if (found === null || !isServed(principal, found)) throw unknownConsent(consent_id);
        return resource(presentBankConsent(found));
      },
    }),
    route({
      ...of_bank,
      method: 'POST',
      path: '/bank/v1/consents/:consent_id/withdraw',
      operation_id: 'bank.consents.withdraw',
      summary: "Withdraw a user's consent. All its tokens end at once",
      description: 'A consent for confirmations of funds becomes Revoked. A repeat changes nothing.',
      refusals: ['conflict'],
      answer: consent,
      async transaction(tx, request) {
        const consent_id = request.params.consent_id ?? '';
        const company_id = servedCompany(request.principal);
        const wanted = { consent_id, ...(company_id === null ? {} : { company_id }) };
        return resource(presentBankConsent(await withdrawConsent(tx, callOf(request), wanted)));
      },
    }),
    route({
      ...of_bank,
      method: 'GET',
      path: '/bank/v1/users/:user_id/consents',
      operation_id: 'bank.users.consents.list',
      summary: 'List the consents that a user authorised, newest first',
      query: { paged: true },
      answer: z.array(consent),
      async transaction(tx, { params, principal, query }) {
        const user_id = params.user_id ?? '';
        await requireServedUser(bank ?? tx.bank, principal, user_id);
        const page = await tx.consents.listOfUser(user_id, query.page);
        return list(query, page, presentBankConsent, presentMinimalConsent);
      },
    }),
  ];
}

async function requireServedUser(bank: BankData, principal: Caller, user_id: string): Promise<void> {
  const user = await bank.findUser(user_id);
  const served = servedCompany(principal);
  if (user !== null && (served === null || user.company_id === served)) return;
  throw new Refusal('not_found', `there is no user ${showValue(user_id)}`);
}

/** A deleted consent stays visible to the bank. */
function isServed(principal: Caller, { company_id }: Consent): boolean {
  const served = servedCompany(principal);
  return served === null || served === company_id;
}

/** The refusal of a ConsentId that does not exist, or that the key may not see. */
export function unknownConsent(consent_id: string): Refusal {
  return new Refusal('not_found', `there is no consent ${showValue(consent_id)}`);
}
