import type { TransactionOptions } from './call-options.ts';
import type { Consent } from './generated/resources.ts';

/** The consents of users, as the bank sees them. Needs Open Banking. */
export interface ConsentOperations {
  /** Reads a consent. Refuses `not_found`. */
  read(consent_id: string, options?: TransactionOptions): Promise<Consent>;
  /**
   * Withdraws a user's consent. All its tokens end at once. A consent for confirmations of funds
   * becomes Revoked. A repeat changes nothing.
   */
  withdraw(consent_id: string, options?: TransactionOptions): Promise<Consent>;
}
