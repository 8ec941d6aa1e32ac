import type { BankAccount, BankUser } from '@tallystick/accounts';
import { type Call, Violation } from '@tallystick/kernel';
import type { ConsentsTx, ReadPorts } from '../ports.ts';
import type { Consent } from './consent.ts';

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
  _tx: ConsentsTx,
  _ports: ReadPorts,
  _wanted: {
    readonly consent_id: string;
    readonly client_id: string;
    readonly user_id: string;
    readonly now_ms: number;
  },
): Promise<Decidable> {
  throw new Violation('not built');
}

/**
 * Authorises a consent for a user and these of the user's accounts, or authenticates it again.
 * Refuses `validation_failed` accounts that the user may not choose, or none, and `conflict` a
 * consent that is not decidable (`findDecidable`). Writes the audit log.
 */
export async function authoriseConsent(
  _tx: ConsentsTx,
  _ports: ReadPorts,
  _call: DecisionCall,
  _decision: {
    readonly consent_id: string;
    readonly user_id: string;
    readonly account_numbers: readonly string[];
    readonly decided_ahead?: boolean;
  },
): Promise<Consent> {
  throw new Violation('not built');
}

/** Rejects a consent that awaits authorisation. Refuses `conflict` any other. */
export async function rejectConsent(
  _tx: ConsentsTx,
  _call: DecisionCall,
  _decision: { readonly consent_id: string; readonly user_id: string | null; readonly decided_ahead?: boolean },
): Promise<Consent> {
  throw new Violation('not built');
}

/**
 * The user's withdrawal: ends all tokens of the consent, and revokes a funds-confirmation consent.
 * A repeat changes nothing. Refuses `not_found` an unknown or deleted consent, or one of another
 * user or company when these are given, and `conflict` one that is not authorised.
 */
export async function withdrawConsent(
  _tx: ConsentsTx,
  _call: DecisionCall,
  _withdrawal: { readonly consent_id: string; readonly user_id?: string; readonly company_id?: number },
): Promise<Consent> {
  throw new Violation('not built');
}
