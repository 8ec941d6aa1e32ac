import type { Clearing } from './clearing.ts';
import type { MatchByHand } from './match-by-hand.ts';

/**
 * What happened to a card beside its authorizations and clearings, so that its history can be
 * replayed: a hold was released, clearings were matched by hand, or a second copy of a clearing came.
 */
export type CardActKind =
  | { readonly kind: 'release'; readonly authorization_id: number }
  | {
      readonly kind: 'rematch';
      readonly matches: readonly Pick<MatchByHand, 'clearing_id' | 'authorization_id' | 'is_confirmation'>[];
    }
  | {
      readonly kind: 'pair';
      readonly clearing_id: number;
      /** What the first copy said. */
      readonly first: CopyFields;
      /** What the second copy said. */
      readonly second: CopyFields;
    };

/** The fields in which two copies of a clearing may differ. */
export type CopyFields = Pick<Clearing, 'network_financial_transaction_id' | 'synthetic_id' | 'net_reference_number'>;

export interface CardAct {
  readonly card_id: number;
  /**
   * The place of the act in the history of its card: ids of events rise in the order in which
   * authorizations, clearings and acts were recorded.
   */
  readonly event_id: number;
  readonly at_ms: number;
  readonly act: CardActKind;
}
