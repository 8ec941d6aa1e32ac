import type { AccountBalance, BankAccount, BankData, BankUser } from '@tallystick/accounts';
import { assert } from '@tallystick/kernel';
import { type ReadableResource, refuseMissingPermission } from '../consent/check-permissions.ts';
import {
  type AccountAccessConsent,
  type Consent,
  hasExpired,
  isActive,
  isOwnedBy,
  serviceOf,
} from '../consent/consent.ts';
import { denied, OpenBankingRefusal } from '../open-banking-refusal.ts';
import type { ConsentsTx, GrantedCall } from '../ports.ts';
import { findEligibleUser, userMayViewAccount, userMayViewDirectDebits } from './eligibility.ts';

/** What a token grants now, after every check but that of the accounts. */
export interface OpenGrant {
  readonly consent: AccountAccessConsent;
  readonly user: BankUser;
}

/**
 * The grant of a token for a resource. Refuses, in this order: a consent that is unknown, deleted or
 * another party's (`denied`), expired (`unauthenticated`), not Authorised, withdrawn, or of another
 * user or kind (`denied`), a missing permission, and a failing condition of the company or the user.
 */
export async function openGrant(
  tx: Pick<ConsentsTx, 'consents'>,
  bank: BankData,
  call: GrantedCall,
  resource: ReadableResource,
): Promise<OpenGrant> {
  const consent = await readGrantedConsent(tx, call);
  if (consent.kind !== 'account_access') throw notGranted();
  if (consent.user_id !== call.user_id || !isActive(consent, call.now_ms)) throw notGranted();
  refuseMissingPermission(consent.permissions, resource);
  const user = await readEligibleUser(bank, call, consent);
  if (resource === 'direct_debits' && !userMayViewDirectDebits({ user })) throw notEligible();
  return { consent, user };
}

/** The consent of the token: known, the third party's own, not deleted, not expired. */
export async function readGrantedConsent(tx: Pick<ConsentsTx, 'consents'>, call: GrantedCall): Promise<Consent> {
  const consent = await tx.consents.find(call.consent_id);
  if (!isOwnedBy(consent, call.client_id)) throw notGranted();
  if (!hasExpired(consent, call.now_ms)) return consent;
  const message = 'the consent has expired';
  throw new OpenBankingRefusal('unauthenticated', [{ code: 'Tallystick.Consent.NotGranted', message }]);
}

/** The user, unless a condition of the company or the user fails for the service of the consent. */
export async function readEligibleUser(bank: BankData, call: GrantedCall, consent: Consent): Promise<BankUser> {
  const user = await findEligibleUser(bank, call.user_id, serviceOf(consent));
  if (user === null) throw notEligible();
  return user;
}

/** The accounts of the grant that the user may still view, by rising number. */
export async function grantedAccounts(bank: BankData, { consent, user }: OpenGrant): Promise<readonly BankAccount[]> {
  const accounts = await bank.accountsByNumber(consent.account_numbers);
  return accounts.filter((account) => userMayViewAccount({ user }, account));
}

/**
 * The account with this number. Refuses (`denied`) an account that is unknown or not granted, both
 * alike, and one that the user may no longer view.
 */
export async function grantedAccount(
  bank: BankData,
  { consent, user }: { readonly consent: Consent; readonly user: BankUser },
  account_number: string,
): Promise<BankAccount> {
  if (!consent.account_numbers.includes(account_number)) throw notGranted();
  const [account] = await bank.accountsByNumber([account_number]);
  if (account === undefined) throw notGranted();
  if (!userMayViewAccount({ user }, account)) throw notEligible();
  return account;
}

/** The balance of an account. The bank returns one for each account. */
export async function balanceOf(bank: BankData, { id }: Pick<BankAccount, 'id'>): Promise<AccountBalance> {
  const [balance] = await bank.balancesOf([id]);
  assert(balance?.account_id === id, `the bank returned no balance of the account ${id}`);
  return balance;
}

/** Names nothing that is not granted. */
export function notGranted(): OpenBankingRefusal {
  return denied('Tallystick.Consent.NotGranted', 'the user has not granted this');
}

/** Does not say which condition fails: it is no business of a third party that a user is frozen. */
function notEligible(): OpenBankingRefusal {
  return denied('Tallystick.Access.NotEligible', 'the bank does not allow this access at present');
}
