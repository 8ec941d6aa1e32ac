import { type BankAccount, type BankData, type BankUser, showAccountNumber } from '@tallystick/accounts';
import { auditEntry, type Call, invalid, maskCardNumbers, Refusal } from '@tallystick/kernel';
import type { ConsentsTx, ReadPorts } from '../ports.ts';
import { findEligibleUser, userMayViewAccount } from '../reading/eligibility.ts';
import {
  type Consent,
  type DebtorAccount,
  isGone,
  isOpenForDecision,
  isOwnedBy,
  no_end,
  serviceOf,
} from './consent.ts';
import { consentObject } from './manage-consent.ts';

/*
 * The states of a consent (decision: consents):
 *
 *   AwaitingAuthorisation -> Authorised | Rejected
 *   Authorised            -> Authorised (authenticated again), Revoked (funds confirmation only)
 *
 * A withdrawal of an account-access consent leaves it Authorised, with `withdrawn_at_ms`: it grants
 * nothing until the user authenticates it again. So do `stopped_at_ms` and `tokens_revoked_at_ms`.
 * A deletion hides a consent in every state.
 */

/** Who decides, and when. The company is that of the user. */
export type DecisionCall = Omit<Call, 'company_id'>;

/** Why a user cannot decide about a consent. */
export type UndecidableReason =
  /** Unknown, deleted, another party's, expired, or in a state that allows no decision. */
  | 'not_awaiting'
  /** Another user authorised it. */
  | 'other_user'
  /** A condition of service specification 5.6 fails for the user or the company. */
  | 'not_eligible'
  /** No account of the user fits: a funds-confirmation consent names another one. */
  | 'no_account';

/** What the user's step shows. */
export type Decidable =
  | {
      readonly kind: 'decidable';
      readonly consent: Consent;
      readonly user: BankUser;
      /** The accounts that the user may choose, by rising number; not empty. */
      readonly accounts: readonly BankAccount[];
      /**
       * False: the accounts are fixed, because the user authenticates an authorised consent again,
       * or because the consent names its account.
       */
      readonly may_choose: boolean;
    }
  | { readonly kind: 'undecidable'; readonly reason: UndecidableReason };

/** What the user can decide about a consent of this third party. */
export async function findDecidable(
  tx: Pick<ConsentsTx, 'consents'>,
  { bank }: ReadPorts,
  wanted: {
    readonly consent_id: string;
    readonly client_id: string;
    readonly user_id: string;
    readonly now_ms: number;
  },
): Promise<Decidable> {
  const consent = await tx.consents.find(wanted.consent_id);
  if (!isOwnedBy(consent, wanted.client_id)) return undecidable('not_awaiting');
  return await decidableOf(bank, consent, wanted);
}

/**
 * Authorises a consent for a user and these of the user's accounts (null: all that the user may
 * choose), or authenticates it again: then the accounts stay as they are, and only these, or none,
 * may be named. Refuses `validation_failed` other accounts than the user may choose, or none,
 * `not_found` an unknown consent, and `conflict` one that is not decidable (`findDecidable`), or of a
 * suspended third party. One that is decided ahead must await authorisation. Writes the audit log.
 */
export async function authoriseConsent(
  tx: Pick<ConsentsTx, 'consents' | 'third_parties' | 'audit'>,
  { bank }: ReadPorts,
  call: DecisionCall,
  decision: {
    readonly consent_id: string;
    readonly user_id: string;
    readonly account_numbers: readonly string[] | null;
    readonly decided_ahead?: boolean;
  },
): Promise<Consent> {
  await lockAdmitted(tx, decision.consent_id);
  const consent = await lockKnown(tx, decision.consent_id);
  if (decision.decided_ahead === true) refuseUnlessAwaiting(consent, call.now_ms);
  const decidable = await decidableOf(bank, consent, { user_id: decision.user_id, now_ms: call.now_ms });
  if (decidable.kind === 'undecidable') throw new Refusal('conflict', explain(decidable.reason, consent));
  const chosen = chooseAccounts(decidable, decision.account_numbers);

  const is_again = consent.status === 'Authorised';
  const authorised: Consent = {
    ...consent,
    status: 'Authorised',
    status_updated_at_ms: is_again ? consent.status_updated_at_ms : call.now_ms,
    user_id: decidable.user.user_id,
    company_id: decidable.user.company_id,
    account_numbers: is_again ? consent.account_numbers : chosen,
    authorised_at_ms: call.now_ms,
    ...no_end,
    decided_ahead: decision.decided_ahead ?? consent.decided_ahead,
  };
  await tx.consents.update(authorised);
  await record(tx, call, authorised, is_again ? 'consent.authenticated_again' : 'consent.authorised', {
    user_id: authorised.user_id,
    accounts: authorised.account_numbers.map(maskCardNumbers),
  });
  return authorised;
}

/**
 * Rejects a consent that awaits authorisation. Refuses `not_found` an unknown one, and `conflict`
 * any other. Writes the audit log.
 */
export async function rejectConsent(
  tx: Pick<ConsentsTx, 'consents' | 'audit'>,
  call: DecisionCall,
  decision: { readonly consent_id: string; readonly user_id: string | null; readonly decided_ahead?: boolean },
): Promise<Consent> {
  const consent = await lockKnown(tx, decision.consent_id);
  refuseUnlessAwaiting(consent, call.now_ms);
  const rejected: Consent = {
    ...consent,
    status: 'Rejected',
    status_updated_at_ms: call.now_ms,
    decided_ahead: decision.decided_ahead ?? false,
  };
  await tx.consents.update(rejected);
  await record(tx, call, rejected, 'consent.rejected', { user_id: decision.user_id });
  return rejected;
}

/**
 * The user's withdrawal: ends all tokens of the consent, and revokes a funds-confirmation consent.
 * A repeat changes nothing. Refuses `not_found` an unknown or deleted consent, or one of another
 * user or company when these are named, and `conflict` one that is not authorised.
 */
export async function withdrawConsent(
  tx: ConsentsTx,
  call: DecisionCall,
  withdrawal: { readonly consent_id: string; readonly user_id?: string; readonly company_id?: number },
): Promise<Consent> {
  const consent = await lockKnown(tx, withdrawal.consent_id);
  const { user_id = consent.user_id, company_id = consent.company_id } = withdrawal;
  const is_its_own = consent.user_id === user_id && consent.company_id === company_id;
  if (consent.deleted_at_ms !== null || !is_its_own) throw unknownConsent();
  if (consent.withdrawn_at_ms !== null) return consent;
  if (consent.status !== 'Authorised') {
    throw new Refusal('conflict', `the consent is ${consent.status}; only an Authorised one can be withdrawn`);
  }
  const withdrawn: Consent = {
    ...consent,
    withdrawn_at_ms: call.now_ms,
    decided_ahead: false,
    ...revoked(consent, call),
  };
  await tx.consents.update(withdrawn);
  await tx.authorisation.endByConsent(consent.consent_id);
  await record(tx, call, withdrawn, 'consent.withdrawn', { user_id: consent.user_id });
  return withdrawn;
}

function revoked({ kind }: Consent, { now_ms }: DecisionCall) {
  if (kind === 'account_access') return {};
  return { status: 'Revoked', status_updated_at_ms: now_ms } as const;
}

async function decidableOf(
  bank: BankData,
  consent: Consent,
  { user_id, now_ms }: { readonly user_id: string; readonly now_ms: number },
): Promise<Decidable> {
  if (!isOpenForDecision(consent, now_ms)) return undecidable('not_awaiting');
  if (consent.user_id !== null && consent.user_id !== user_id) return undecidable('other_user');
  const user = await findEligibleUser(bank, user_id, serviceOf(consent));
  if (user === null) return undecidable('not_eligible');

  const its = await accountsFor(bank, consent, user);
  const accounts = its.filter((account) => userMayViewAccount({ user }, account));
  if (accounts.length === 0) return undecidable('no_account');
  const may_choose = consent.status === 'AwaitingAuthorisation' && consent.kind === 'account_access';
  return { kind: 'decidable', consent, user, accounts, may_choose };
}

/** The accounts that the decision is about, whether or not the user may view them. */
async function accountsFor(bank: BankData, consent: Consent, user: BankUser): Promise<readonly BankAccount[]> {
  if (consent.status === 'Authorised') return await bank.accountsByNumber(consent.account_numbers);
  if (consent.kind === 'account_access') return await bank.accountsByNumber(user.viewable_accounts);
  const { debtor_account } = consent;
  const named = await bank.findAccount(debtor_account.scheme_name, debtor_account.identification);
  return named !== null && fitsSecondary(debtor_account, named) ? [named] : [];
}

/** A secondary identification must be right where the bank knows one. */
function fitsSecondary({ secondary_identification: named }: DebtorAccount, { profile }: BankAccount): boolean {
  const known = profile?.secondary_identification ?? null;
  return named === null || known === null || named === known;
}

function undecidable(reason: UndecidableReason): Decidable {
  return { kind: 'undecidable', reason };
}

function chooseAccounts(
  { consent, accounts, may_choose }: Extract<Decidable, { kind: 'decidable' }>,
  wanted: readonly string[] | null,
): readonly string[] {
  const offered = accounts.map(({ number }) => number);
  if (wanted === null) return offered;
  const foreign = wanted.find((number) => !offered.includes(number) && !consent.account_numbers.includes(number));
  if (foreign !== undefined) {
    const message = `must be accounts that the user may choose, and ${showAccountNumber(foreign)} is none`;
    throw invalid({ path: 'account_ids', message });
  }
  if (!may_choose) {
    if (wanted.length === 0 || offered.every((number) => wanted.includes(number))) return offered;
    throw invalid({ path: 'account_ids', message: 'cannot be changed: they are those of the access' });
  }
  if (wanted.length === 0) throw invalid({ path: 'account_ids', message: 'must name at least one account' });
  return offered.filter((number) => wanted.includes(number));
}

function explain(reason: UndecidableReason, { status }: Consent): string {
  const reasons: Readonly<Record<UndecidableReason, string>> = {
    not_awaiting: `the consent is ${status} and cannot be authorised: it was decided, deleted, or has expired`,
    other_user: 'another user authorised the consent',
    not_eligible: 'the bank does not allow this user or company to use the service',
    no_account: 'no account that the user may view fits the consent',
  };
  return reasons[reason];
}

function refuseUnlessAwaiting(consent: Consent, now_ms: number): void {
  if (consent.status === 'AwaitingAuthorisation' && isOpenForDecision(consent, now_ms)) return;
  const found = isGone(consent, now_ms) ? 'was deleted or has expired' : `is ${consent.status}`;
  throw new Refusal('conflict', `the consent ${found}, and does not await authorisation`);
}

/**
 * Locks the third party of the consent, so that a suspension at the same time stops what is
 * authorised, or comes first. Refuses `conflict` a suspended one.
 */
async function lockAdmitted(tx: Pick<ConsentsTx, 'consents' | 'third_parties'>, consent_id: string): Promise<void> {
  const consent = await tx.consents.find(consent_id);
  const third_party = consent && (await tx.third_parties.findByClientId(consent.client_id));
  const locked = third_party && (await tx.third_parties.lock(third_party.id));
  if (locked?.status !== 'suspended') return;
  throw new Refusal('conflict', 'the bank has suspended the third party of the consent');
}

async function lockKnown(tx: Pick<ConsentsTx, 'consents'>, consent_id: string): Promise<Consent> {
  const consent = await tx.consents.lock(consent_id);
  if (consent === null) throw unknownConsent();
  return consent;
}

function unknownConsent(): Refusal {
  return new Refusal('not_found', 'there is no such consent');
}

function record(
  tx: Pick<ConsentsTx, 'audit'>,
  call: DecisionCall,
  consent: Consent,
  action: string,
  details: Readonly<Record<string, unknown>>,
): Promise<void> {
  const caller = { ...call, company_id: consent.company_id };
  const facts = { ...details, client_id: consent.client_id, decided_ahead: consent.decided_ahead };
  return tx.audit.record(auditEntry(caller, action, consentObject(consent), facts), call.now_ms);
}
