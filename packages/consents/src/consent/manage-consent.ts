import { auditEntry, toInstantText } from '@tallystick/kernel';
import { grant_model } from '../authorisation/authorisation-record.ts';
import { OpenBankingRefusal } from '../open-banking-refusal.ts';
import type { ConsentsTx, ThirdPartyCall } from '../ports.ts';
import { accessEnd, type Consent, type DebtorAccount, isActive, isOwnedBy } from './consent.ts';

/**
 * The third party's own consent of this kind. Refuses `UK.OBIE.Resource.NotFound` (`invalid`) one
 * that is unknown, deleted, of another kind or another party's, all alike.
 */
export async function readConsent<Kind extends Consent['kind']>(
  tx: Pick<ConsentsTx, 'consents'>,
  call: ThirdPartyCall,
  kind: Kind,
  consent_id: string,
): Promise<Extract<Consent, { kind: Kind }>> {
  return ownConsent(await tx.consents.find(consent_id), call, kind);
}

/** Deletes the third party's own consent, and ends its tokens. Refuses like `readConsent`. */
export async function deleteConsent(
  tx: ConsentsTx,
  call: ThirdPartyCall,
  kind: Consent['kind'],
  consent_id: string,
): Promise<void> {
  const consent = ownConsent(await tx.consents.lock(consent_id), call, kind);
  await tx.consents.update({ ...consent, decided_ahead: false, deleted_at_ms: call.now_ms });
  await tx.authorisation.endByConsent(consent.consent_id);
  const caller = { ...call, company_id: consent.company_id, actor: `third_party:${call.client_id}` };
  await tx.audit.record(auditEntry(caller, 'consent.deleted', consentObject(consent)), call.now_ms);
}

/** How much earlier than its consent a grant may end: both of its times are whole seconds. */
const rounding_ms = 2_000;

/**
 * Revokes the tokens of one authorisation of a consent, by the id of its grant. If it was the last
 * one, the access has ended, which the audit log has. If older ones are left, it ends with them. A
 * grant that is unknown or has ended changes nothing.
 */
export async function revokeGrant(
  tx: ConsentsTx,
  call: Omit<ThirdPartyCall, 'client_id'>,
  grant_id: string,
): Promise<void> {
  const grant = await tx.authorisation.find(grant_model, grant_id);
  if (grant === null || grant.consent_id === null) return;
  const consent = await tx.consents.lock(grant.consent_id);
  await tx.authorisation.endByGrant(grant_id);
  await tx.authorisation.end(grant_model, grant_id);
  if (consent === null || !isActive(consent, call.now_ms)) return;
  const left_until_ms = await tx.authorisation.grantsEnd(consent.consent_id);
  if (left_until_ms !== null && left_until_ms > call.now_ms) {
    const is_earlier = left_until_ms + rounding_ms < accessEnd(consent)!.at_ms;
    if (is_earlier) await tx.consents.update({ ...consent, tokens_end_at_ms: left_until_ms });
    return;
  }
  await tx.consents.update({ ...consent, tokens_revoked_at_ms: call.now_ms });
  const { client_id, company_id } = consent;
  const caller = { ...call, company_id, actor: `third_party:${client_id}` };
  await tx.audit.record(auditEntry(caller, 'consent.tokens_revoked', consentObject(consent)), call.now_ms);
}

/** A consent as the audit log names it. */
export function consentObject({ consent_id }: Pick<Consent, 'consent_id'>): string {
  return `consent:${consent_id}`;
}

/** The consent as the standard shows it: `Data` of the answer. */
export function presentConsent(consent: Consent): Readonly<Record<string, unknown>> {
  const shared = {
    ConsentId: consent.consent_id,
    CreationDateTime: toInstantText(consent.created_at_ms),
    Status: consent.status,
    StatusUpdateDateTime: toInstantText(consent.status_updated_at_ms),
  };
  const expiration = optional('ExpirationDateTime', consent.expiration_date_time);
  if (consent.kind === 'funds_confirmation') {
    return { ...shared, ...expiration, DebtorAccount: presentDebtorAccount(consent.debtor_account) };
  }
  return {
    ...shared,
    Permissions: [...consent.permissions],
    ...expiration,
    ...optional('TransactionFromDateTime', consent.transaction_from_date_time),
    ...optional('TransactionToDateTime', consent.transaction_to_date_time),
  };
}

function presentDebtorAccount(account: DebtorAccount): object {
  return {
    SchemeName: account.scheme_name,
    Identification: account.identification,
    ...optional('Name', account.name),
    ...optional('SecondaryIdentification', account.secondary_identification),
  };
}

function optional(name: string, value: string | null): Readonly<Record<string, string>> {
  return value === null ? {} : { [name]: value };
}

function ownConsent<Kind extends Consent['kind']>(
  consent: Consent | null,
  { client_id }: ThirdPartyCall,
  kind: Kind,
): Extract<Consent, { kind: Kind }> {
  if (isOwnedBy(consent, client_id) && consent.kind === kind) return consent as Extract<Consent, { kind: Kind }>;
  const message = 'there is no such consent';
  throw new OpenBankingRefusal('invalid', [{ code: 'UK.OBIE.Resource.NotFound', message, path: 'ConsentId' }]);
}
