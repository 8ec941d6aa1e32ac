import type { TransactionOptions } from './call-options.ts';
import type { CreateThirdParty, Id, ThirdParty, UpdateThirdParty } from './generated/resources.ts';
import type { List, ListOptions } from './list.ts';

/** The regulated third parties: clients of the authorisation server. Needs Open Banking. */
export interface ThirdPartyOperations {
  /** Registers a third party. */
  create(third_party: CreateThirdParty, options?: TransactionOptions): Promise<ThirdParty>;
  /** Lists the third parties, newest first. */
  list(options?: ListOptions): List<ThirdParty>;
  /** Reads a third party. Refuses `not_found`. */
  read(third_party_id: Id, options?: TransactionOptions): Promise<ThirdParty>;
  /**
   * Changes a third party; what is absent stays. Tokens keep working, except when a scope is taken
   * away: then all its tokens end at once. If a key was stolen, replace it, and then suspend and
   * activate the third party.
   */
  update(third_party_id: Id, change: UpdateThirdParty, options?: TransactionOptions): Promise<ThirdParty>;
  /** Suspends a third party. All its tokens end at once. */
  suspend(third_party_id: Id, options?: TransactionOptions): Promise<ThirdParty>;
  /** Activates a suspended third party. It needs new tokens. */
  activate(third_party_id: Id, options?: TransactionOptions): Promise<ThirdParty>;
}
