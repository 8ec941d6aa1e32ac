import type { ConsentsTx, CreatePorts, ThirdPartyCall } from '../ports.ts';
import { permission_items_max, readPermissions } from './check-permissions.ts';
import {
  type AccountAccessConsent,
  type Consent,
  type FundsConfirmationConsent,
  no_end,
  unguessableId,
} from './consent.ts';
import { date_time_expected, parseDateTime, type SentDateTime } from './date-time.ts';
import { readDebtorAccount } from './debtor-account.ts';
import { type Members, RequestBody } from './request-body.ts';

type CreateTx = Pick<ConsentsTx, 'consents'>;

const access_members = ['Permissions', 'ExpirationDateTime', 'TransactionFromDateTime', 'TransactionToDateTime'];

/**
 * Creates an account-access consent from the body of a request (OBReadConsent1). Refuses (`invalid`)
 * with every problem at once.
 */
export async function createAccountAccessConsent(
  tx: CreateTx,
  { random }: CreatePorts,
  call: ThirdPartyCall,
  body: unknown,
): Promise<AccountAccessConsent> {
  const request = new RequestBody();
  const members = request.readBody(body);
  request.refuseUnexpected(members, '', ['Data', 'Risk']);
  const data = request.readObject(members, '', 'Data', access_members);
  const items = data === null ? null : request.readArray(data, 'Data', 'Permissions', permission_items_max);
  const permissions = items === null ? [] : readPermissions(request, items, 'Data.Permissions');
  const expiration = readExpiration(request, data, call.now_ms);
  const from = readDateTime(request, data, 'TransactionFromDateTime');
  const to = readDateTime(request, data, 'TransactionToDateTime');
  if (from !== null && to !== null && from.at_ms > to.at_ms) {
    const path = 'Data.TransactionToDateTime';
    request.add('UK.OBIE.Field.InvalidDate', path, `${path} must not be before TransactionFromDateTime`);
  }
  request.readObject(members, '', 'Risk', []);
  request.refuseInvalid();

  const created = await tx.consents.insert({
    ...newConsent(unguessableId(random, 'aac-'), call, expiration),
    kind: 'account_access',
    permissions,
    transaction_from_date_time: from?.text ?? null,
    transaction_to_date_time: to?.text ?? null,
  });
  return created as AccountAccessConsent;
}

/**
 * Creates a funds-confirmation consent (OBFundsConfirmationConsent1). Refuses as
 * `createAccountAccessConsent` does.
 */
export async function createFundsConfirmationConsent(
  tx: CreateTx,
  { random }: CreatePorts,
  call: ThirdPartyCall,
  body: unknown,
): Promise<FundsConfirmationConsent> {
  const request = new RequestBody();
  const members = request.readBody(body);
  request.refuseUnexpected(members, '', ['Data']);
  const data = request.readObject(members, '', 'Data', ['ExpirationDateTime', 'DebtorAccount']);
  const expiration = readExpiration(request, data, call.now_ms);
  const debtor_account = data === null ? null : readDebtorAccount(request, data);
  request.refuseInvalid();

  const created = await tx.consents.insert({
    ...newConsent(unguessableId(random, 'fcc-'), call, expiration),
    kind: 'funds_confirmation',
    debtor_account: debtor_account!,
  });
  return created as FundsConfirmationConsent;
}

function readDateTime(request: RequestBody, data: Members | null, name: string): SentDateTime | null {
  const rule = { code: 'UK.OBIE.Field.InvalidDate', expected: date_time_expected } as const;
  return data === null ? null : request.readOptional(data, 'Data', name, parseDateTime, rule);
}

function readExpiration(request: RequestBody, data: Members | null, now_ms: number): SentDateTime | null {
  const expiration = readDateTime(request, data, 'ExpirationDateTime');
  if (expiration !== null && expiration.at_ms <= now_ms) {
    const path = 'Data.ExpirationDateTime';
    request.add('UK.OBIE.Field.InvalidDate', path, `${path} must be in the future`);
  }
  return expiration;
}

type NewBase = Omit<Consent, 'id' | 'kind'>;

function newConsent(
  consent_id: string,
  { client_id, now_ms }: ThirdPartyCall,
  expiration: SentDateTime | null,
): NewBase {
  return {
    consent_id,
    client_id,
    status: 'AwaitingAuthorisation',
    created_at_ms: now_ms,
    status_updated_at_ms: now_ms,
    expiration_date_time: expiration?.text ?? null,
    expires_at_ms: expiration?.at_ms ?? null,
    user_id: null,
    company_id: null,
    account_numbers: [],
    authorised_at_ms: null,
    ...no_end,
    decided_ahead: false,
    deleted_at_ms: null,
  };
}
