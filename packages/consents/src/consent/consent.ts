import type { ThirdPartyService } from '@tallystick/accounts';
import { type Random, toBase64Url } from '@tallystick/kernel';
import type { Permission } from './permission.ts';

/** The states of a consent. An account-access consent is never `Revoked` (decision: consents). */
export const consent_statuses = ['AwaitingAuthorisation', 'Authorised', 'Rejected', 'Revoked'] as const;

export type ConsentStatus = (typeof consent_statuses)[number];

interface ConsentBase {
  readonly id: number;
  /** The ConsentId: unguessable, 1 to 128 characters. */
  readonly consent_id: string;
  /** The third party that created it. */
  readonly client_id: string;
  readonly status: ConsentStatus;
  readonly created_at_ms: number;
  readonly status_updated_at_ms: number;
  /** ExpirationDateTime with its zone, as it is returned; null: it does not expire. */
  readonly expiration_date_time: string | null;
  /** `expires_at` in epoch milliseconds. */
  readonly expires_at_ms: number | null;
  /** Who authorised it; null before. */
  readonly user_id: string | null;
  /** The company of the user; null before. */
  readonly company_id: number | null;
  /** The numbers of the accounts that the user chose, rising. */
  readonly account_numbers: readonly string[];
  /** The last authorisation; null before. */
  readonly authorised_at_ms: number | null;
  /** The user's withdrawal after the last authorisation; null: none. */
  readonly withdrawn_at_ms: number | null;
  /**
   * When the bank stopped its third party after the last authorisation, by a suspension or by taking
   * a scope away: its tokens ended. Null: it did not.
   */
  readonly stopped_at_ms: number | null;
  /**
   * When its last tokens were revoked after the last authorisation, by the third party or because a
   * code was used twice. Null: they were not.
   */
  readonly tokens_revoked_at_ms: number | null;
  /**
   * When the tokens end that were left when those of the last authorisation were revoked. Null: 90
   * days after the last authorisation.
   */
  readonly tokens_end_at_ms: number | null;
  /**
   * Whether the sandbox decided it, so that the user's step needs no page. A withdrawal ends it.
   */
  readonly decided_ahead: boolean;
  /** The deletion by the third party. A deleted consent is as unknown to it. */
  readonly deleted_at_ms: number | null;
}

/** The consent of an account information service. */
export interface AccountAccessConsent extends ConsentBase {
  readonly kind: 'account_access';
  readonly permissions: readonly Permission[];
  /** TransactionFromDateTime with its zone, as it is returned; null: no limit. */
  readonly transaction_from_date_time: string | null;
  readonly transaction_to_date_time: string | null;
}

/** An account as a third party names it. */
export interface DebtorAccount {
  readonly scheme_name: string;
  readonly identification: string;
  readonly name: string | null;
  readonly secondary_identification: string | null;
}

/** The consent of a card-based payment instrument issuer. */
export interface FundsConfirmationConsent extends ConsentBase {
  readonly kind: 'funds_confirmation';
  readonly debtor_account: DebtorAccount;
}

export type Consent = AccountAccessConsent | FundsConfirmationConsent;

/** Without the fields of its storage. */
export type NewConsent = Omit<AccountAccessConsent, 'id'> | Omit<FundsConfirmationConsent, 'id'>;

export function serviceOf({ kind }: Pick<Consent, 'kind'>): ThirdPartyService {
  return kind === 'account_access' ? 'aisp' : 'cbpii';
}

export function hasExpired({ expires_at_ms }: Pick<Consent, 'expires_at_ms'>, now_ms: number): boolean {
  return expires_at_ms !== null && expires_at_ms <= now_ms;
}

/** Whether its third party deleted it, or it has expired: no one decides about it or uses it. */
export function isGone(consent: Pick<Consent, 'deleted_at_ms' | 'expires_at_ms'>, now_ms: number): boolean {
  return consent.deleted_at_ms !== null || hasExpired(consent, now_ms);
}

/** Whether it is one that this third party created and has not deleted. */
export function isOwnedBy(consent: Consent | null, client_id: string): consent is Consent {
  return consent?.client_id === client_id && consent.deleted_at_ms === null;
}

/** Whether a user can decide about it: it awaits authorisation, or can be authenticated again. */
export function isOpenForDecision(consent: Consent, now_ms: number): boolean {
  const { status } = consent;
  return (status === 'AwaitingAuthorisation' || status === 'Authorised') && !isGone(consent, now_ms);
}

/** The ends of the access that the next authorisation undoes. */
export const no_end = {
  withdrawn_at_ms: null,
  stopped_at_ms: null,
  tokens_revoked_at_ms: null,
  tokens_end_at_ms: null,
} as const;

/**
 * Whether its third party has access: authorised, not ended since by the user, the bank or the third
 * party, not deleted, not expired.
 */
export function isActive(consent: Consent, now_ms: number): boolean {
  const { status, withdrawn_at_ms, stopped_at_ms, tokens_revoked_at_ms } = consent;
  const has_ended = (withdrawn_at_ms ?? stopped_at_ms ?? tokens_revoked_at_ms) !== null;
  return status === 'Authorised' && !has_ended && !isGone(consent, now_ms);
}

/**
 * How long an authorisation gives access, milliseconds: its refresh tokens end then, and the user
 * confirms it again (service specification 5.6).
 */
export const authorisation_ms = 90 * 24 * 60 * 60 * 1_000;

/**
 * How the access that a user gave ends: by a withdrawal, because the bank stopped its third party,
 * because the tokens were revoked, by a deletion, on its expiration date, or because it was not
 * confirmed again in time.
 */
export const access_ends = ['withdrawn', 'stopped', 'tokens_revoked', 'deleted', 'expired', 'lapsed'] as const;

export interface AccessEnd {
  readonly how: (typeof access_ends)[number];
  readonly at_ms: number;
}

/**
 * How and when the access ends or has ended, by what comes first. Null when no user has authorised
 * the consent.
 */
export function accessEnd(consent: Consent): AccessEnd | null {
  const { authorised_at_ms } = consent;
  if (authorised_at_ms === null) return null;
  const at: Readonly<Record<AccessEnd['how'], number | null>> = {
    withdrawn: consent.withdrawn_at_ms,
    stopped: consent.stopped_at_ms,
    tokens_revoked: consent.tokens_revoked_at_ms,
    deleted: consent.deleted_at_ms,
    expired: consent.expires_at_ms,
    lapsed: consent.tokens_end_at_ms ?? authorised_at_ms + authorisation_ms,
  };
  const ends = access_ends.flatMap((how) => (at[how] === null ? [] : [{ how, at_ms: at[how] }]));
  return ends.reduce((first, end) => (end.at_ms < first.at_ms ? end : first));
}

/** Whether the access that a user gave goes on. */
export function hasAccess(consent: Consent, now_ms: number): boolean {
  const end = accessEnd(consent);
  return consent.status === 'Authorised' && end !== null && end.at_ms > now_ms;
}

/**
 * Whether a consent may be removed once it is old enough: nobody ever authorised it. It awaits
 * authorisation, was rejected, or was deleted before. A consent that a user authorised once stays
 * for ever, because it is the evidence of who granted what.
 *
 * One that a user is deciding about also stays: an interaction of the authorisation server belongs
 * to it, until 30 minutes after its beginning.
 */
export function mayBeRemoved({ authorised_at_ms }: Pick<Consent, 'authorised_at_ms'>): boolean {
  return authorised_at_ms === null;
}

/** Of 192 bits, so that nobody finds one by trying. */
const id_bytes = 24;

/** A new id that nobody can guess, in characters that a URL needs not escape: 32 after the prefix. */
export function unguessableId(random: Random, prefix: string): string {
  return prefix + toBase64Url(new Uint8Array(random.bytes(id_bytes)));
}
