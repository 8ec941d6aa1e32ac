import type { BankData } from '@tallystick/accounts';
import {
  accessEnd,
  authoriseConsent,
  type Consent,
  createAccountAccessConsent,
  hasAccess,
  permissions,
  rejectConsent,
  withdrawConsent,
} from '@tallystick/consents';
import { invalid, type Random, Refusal, showValue, toInstantText } from '@tallystick/kernel';
import * as z from 'zod';
import { showAs } from '../fields.ts';
import { type Operation, type OperationCall, operation, operatorCall, present, servedCompany } from '../operation.ts';
import { consent, create_consent, decide_consent } from './shapes.ts';

/**
 * The consents of the bank's users (decision: consents and reading). A key that belongs to a
 * company sees only the consents that users of the company authorised.
 */
export function consentOperations(
  bank: BankData | undefined,
  ports: { readonly random: Random },
  in_sandbox: boolean,
): readonly Operation[] {
  return [
    operation('bank_channel', {
      id: 'bank.consents.read',
      summary: 'Read a consent of Open Banking',
      parameters: ['consent_id'],
      answer: consent,
      async read(tx, call) {
        const { consent_id } = call;
        const found = await tx.consents.find(consent_id);
        if (found === null || !isServed(call, found)) throw unknownConsent(consent_id);
        return presentBankConsent(found, call);
      },
    }),
    operation('bank_channel', {
      id: 'bank.consents.withdraw',
      summary: "Withdraw a user's consent. All its tokens end at once",
      parameters: ['consent_id'],
      description: 'A consent for confirmations of funds becomes Revoked. A repeat changes nothing.',
      refusals: ['conflict'],
      answer: consent,
      async write(tx, call) {
        const { consent_id } = call;
        const company_id = servedCompany(call);
        const wanted = { consent_id, ...(company_id === null ? {} : { company_id }) };
        return presentBankConsent(await withdrawConsent(tx, operatorCall(call), wanted), call);
      },
    }),
    operation('bank_channel', {
      id: 'bank.users.consents.list',
      method: 'bank.users.consents',
      summary: 'List the consents that a user authorised, newest first',
      description: 'Also those whose access has ended: `access` says how.',
      parameters: ['user_id'],
      query: { paged: true },
      answer: z.array(consent),
      async read(tx, call) {
        await requireServedUser(bank ?? tx.bank, call);
        const page = await tx.consents.listOfUser(call.user_id, call.query.page);
        return present(page, (found) => presentBankConsent(found, call));
      },
    }),
    ...(in_sandbox ? [request(ports), decision(bank)] : []),
  ];
}

/** The request of a third party of the sandbox, without its token. */
function request(ports: { readonly random: Random }): Operation {
  return operation('bank_channel', {
    id: 'sandbox.consents.create',
    summary: 'Ask for a consent as a third party of the sandbox',
    description: 'To read all that a third party may read of accounts. A user of the bank then decides about it.',
    body: create_consent,
    answer: consent,
    async write(tx, call) {
      const { client_id } = call.body.data;
      const third_party = await tx.third_parties.findByClientId(client_id);
      if (!third_party?.is_sandbox || third_party.status !== 'active' || !third_party.scopes.includes('accounts')) {
        const message = `must be an active third party of the sandbox that may read accounts, such as sandbox-aisp, not ${showValue(client_id)}`;
        throw invalid({ path: 'client_id', message });
      }
      const { request_id, source_address, now_ms } = call;
      const asked = { Data: { Permissions: permissions }, Risk: {} };
      const by = { client_id, request_id, source_address, now_ms };
      return presentBankConsent(await createAccountAccessConsent(tx, ports, by, asked), call);
    },
  });
}

/**
 * The decision of the bank's user without a page, in the sandbox (decision: authorisation). The
 * authorise redirect then needs no page either.
 */
function decision(bank: BankData | undefined): Operation {
  return operation('bank_channel', {
    id: 'sandbox.consents.decide',
    summary: 'Decide about a consent as a user of the bank',
    parameters: ['consent_id'],
    description:
      'The third party then gets its code, or `access_denied`, without a page. Only a consent that awaits authorisation can be decided.',
    refusals: ['conflict', 'not_found'],
    body: decide_consent,
    answer: consent,
    async write(tx, call) {
      const { decision, user_id, account_ids } = call.body.data;
      const { consent_id } = call;
      const found = await tx.consents.lock(consent_id);
      if (found === null || found.deleted_at_ms !== null || !isOffered(call, found)) throw unknownConsent(consent_id);
      const ports = { bank: bank ?? tx.bank };
      const user = await userOf(ports.bank, servedCompany(call), user_id ?? null);
      if (decision === 'reject') {
        const rejected = { consent_id, user_id: user, decided_ahead: true };
        return presentBankConsent(await rejectConsent(tx, operatorCall(call), rejected), call);
      }
      const approved = { consent_id, user_id: user, account_numbers: account_ids ?? null, decided_ahead: true };
      return presentBankConsent(await authoriseConsent(tx, ports, operatorCall(call), approved), call);
    },
  });
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

async function requireServedUser(bank: BankData, call: OperationCall): Promise<void> {
  const user = await bank.findUser(call.user_id);
  const served = servedCompany(call);
  if (user !== null && (served === null || user.company_id === served)) return;
  throw new Refusal('not_found', `there is no user ${showValue(call.user_id)}`);
}

/** A deleted consent stays visible to the bank. */
function isServed(call: OperationCall, { company_id }: Consent): boolean {
  const served = servedCompany(call);
  return served === null || served === company_id;
}

/** Whether the caller may decide about it. A consent that awaits its user is of no company yet. */
function isOffered(call: OperationCall, found: Consent): boolean {
  return isServed(call, found) || (found.status === 'AwaitingAuthorisation' && found.company_id === null);
}

/** The refusal of a ConsentId that does not exist, or that the key may not see. */
function unknownConsent(consent_id: string): Refusal {
  return new Refusal('not_found', `there is no consent ${showValue(consent_id)}`);
}

/** A consent as the bank sees it. Its id is its ConsentId. */
function presentBankConsent(found: Consent, { now_ms }: Pick<OperationCall, 'now_ms'>) {
  const end = accessEnd(found);
  return showAs(consent, {
    ...found,
    id: found.consent_id,
    permissions: found.kind === 'account_access' ? found.permissions : [],
    account_ids: found.account_numbers,
    access: end === null ? 'none' : hasAccess(found, now_ms) ? 'active' : end.how,
    access_ends_at: shownInstant(end?.at_ms ?? null),
    created_at: toInstantText(found.created_at_ms),
    status_updated_at: toInstantText(found.status_updated_at_ms),
    authorised_at: shownInstant(found.authorised_at_ms),
    withdrawn_at: shownInstant(found.withdrawn_at_ms),
    deleted_at: shownInstant(found.deleted_at_ms),
    type: 'consent',
    url: `/bank/v1/consents/${found.consent_id}`,
  });
}

function shownInstant(at_ms: number | null): string | null {
  return at_ms === null ? null : toInstantText(at_ms);
}
