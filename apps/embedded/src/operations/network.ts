import type { CallOptions } from './call-options.ts';
import type { Authorization, AuthorizationMessage, Clearing, ClearingMessage } from './generated/resources.ts';

/**
 * The card network's side of the service. Calls at the same time share a pass, with one commit, so
 * no method takes a `tx`: a message is decided in the service's own transaction, and its answer is
 * durable when the promise resolves.
 */
export interface NetworkOperations {
  /**
   * Decides an authorization, or records an advice or a reversal. A decline is a value:
   * `decline_reason` is not null. The code `U` means that the service could not decide, because of
   * a fault or of load, and that nothing was approved; send the same message again to get the
   * recorded outcome, if there is one. A repeated message gets its first answer. Refuses
   * (`conflict`) an advice that would take a sum of the card past its bound.
   */
  authorize(message: AuthorizationMessage, options?: CallOptions): Promise<Authorization>;
  /**
   * Records a clearing, and matches it to its authorization by the fields that ClearingMessage
   * names. A clearing of an unknown card (`not_found`), in another billing currency,
   * with a transaction id of another card, or past the largest sum of a card (`conflict`) is
   * refused, and kept in `operator.quarantine`.
   */
  clear(message: ClearingMessage, options?: CallOptions): Promise<Clearing>;
}
