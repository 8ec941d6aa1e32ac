import type { BankData } from '@tallystick/accounts';
import { authoriseConsent, rejectConsent } from '@tallystick/consents';
import { invalid, Refusal, showValue } from '@tallystick/kernel';
import { resource } from '../../answer/answer.ts';
import { type Route, route } from '../../request/route.ts';
import { presentBankConsent } from '../consents/presenter.ts';
import { unknownConsent } from '../consents/routes.ts';
import { consent, decide_consent } from '../consents/shapes.ts';
import { callOf } from '../operator/routes.ts';
import { servedCompany } from '../served-company.ts';

/**
 * `POST /sandbox/v1/consents/:consent_id/decide`: the decision of the bank's user, without a page.
 * The authorise redirect then needs no page either. Only in the sandbox (decision: authorisation).
 */
export function consentDecisionRoutes(bank: BankData | undefined): readonly Route[] {
  return [
    route({
      area: 'bank_channel',
      tag: 'Sandbox',
      method: 'POST',
      path: '/sandbox/v1/consents/:consent_id/decide',
      operation_id: 'sandbox.consents.decide',
      summary: 'Decide about a consent as a user of the bank',
      description:
        'The third party then gets its code, or `access_denied`, without a page. Only a consent that awaits authorisation can be decided.',
      refusals: ['conflict', 'not_found'],
      body: decide_consent,
      answer: consent,
      async transaction(tx, request) {
        const { decision, user_id, account_ids } = request.body.data;
        const consent_id = request.params.consent_id ?? '';
        const found = await tx.consents.lock(consent_id);
        if (found === null || found.deleted_at_ms !== null) throw unknownConsent(consent_id);
        const call = callOf(request);
        const ports = { bank: bank ?? tx.bank };
        const user = await userOf(ports.bank, servedCompany(request.principal), user_id ?? null);
        if (decision === 'reject') {
          const rejected = { consent_id, user_id: user, decided_ahead: true };
          return resource(presentBankConsent(await rejectConsent(tx, call, rejected)));
        }
        const approved = { consent_id, user_id: user, account_numbers: account_ids ?? null, decided_ahead: true };
        return resource(presentBankConsent(await authoriseConsent(tx, ports, call, approved)));
      },
    }),
  ];
}

/** The id of the user who decides, of the company of the key. Refuses an unknown one. */
async function userOf(bank: BankData, company_id: number | null, user_id: string | null): Promise<string> {
  if (user_id === null) {
    const [first] = (await bank.listUsers(company_id === null ? {} : { company_id }, { limit: 1 })).items;
    if (first === undefined) throw new Refusal('conflict', 'the bank has no users');
    return first.user_id;
  }
  const user = await bank.findUser(user_id);
  if (user !== null && (company_id === null || user.company_id === company_id)) return user_id;
  throw invalid({ path: 'user_id', message: `must be the id of a user; there is no user ${showValue(user_id)}` });
}
