import type { Refusal } from '@tallystick/kernel';
import type { AuthorizationMessage, DeclineCode } from './authorization.ts';
import { type AuthorizationItem, unrecordedItem } from './authorization-item.ts';
import type { ClearingItem } from './clearing-item.ts';

/** What the network is told about an authorization message. */
export type AuthorizationAnswer =
  | {
      readonly kind: 'answered';
      /** The record as it was decided. */
      readonly item: AuthorizationItem;
      /** The reason for the decline; V when approved or recorded. */
      readonly code: DeclineCode | 'V';
      /** DE39. */
      readonly response_code: string;
      readonly vcn_response: string;
      readonly issuer_response: 'Approved' | 'Declined';
      readonly approval_code: string | null;
      /** The message came before and was answered then: nothing changed. */
      readonly duplicate: boolean;
      /** A fault of ours: nothing was recorded as approved, and the message may be sent again. */
      readonly fault: boolean;
    }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** What the network, or an import, is told about a clearing. */
export type ClearingAnswer =
  | {
      readonly kind: 'answered';
      readonly item: ClearingItem;
      /** Its network_financial_transaction_id was known: nothing changed. */
      readonly duplicate: boolean;
    }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** The answer that tells a message's record, as it was decided. */
export function recordedAnswer(
  item: AuthorizationItem,
  { duplicate }: { readonly duplicate: boolean },
): AuthorizationAnswer {
  return answerWith(item, { duplicate, fault: false });
}

/** The answer about a number that nobody has. */
export function unknownNumberAnswer(message: AuthorizationMessage): AuthorizationAnswer {
  return answerWith(unrecordedItem(message, 'I'), { duplicate: false, fault: false });
}

/** The answer when a fault of ours kept the message from a decision. */
export function faultAnswer(message: AuthorizationMessage): AuthorizationAnswer {
  return answerWith(unrecordedItem(message, 'U'), { duplicate: false, fault: true });
}

function answerWith(
  item: AuthorizationItem,
  { duplicate, fault }: { readonly duplicate: boolean; readonly fault: boolean },
): AuthorizationAnswer {
  const { response_code, vcn_response, issuer_response, approval_code, decline_reason } = item;
  const code = decline_reason ?? 'V';
  return {
    kind: 'answered',
    item,
    code,
    response_code,
    vcn_response,
    issuer_response,
    approval_code,
    duplicate,
    fault,
  };
}
