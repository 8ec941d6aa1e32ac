import type { Refusal } from '@tallystick/kernel';
import type { Consultation } from '../consulting/ports.ts';
import type { AuthorizationMessage, DeclineCode } from '../records/authorization.ts';
import { type AuthorizationItem, unrecordedItem } from '../records/authorization-item.ts';
import type { ClearingItem } from '../records/clearing-item.ts';
import type { LedgerCard } from '../records/ledger.ts';

export type AuthorizationAnswer =
  | {
      readonly kind: 'answered';
      /** The message as it was decided. */
      readonly item: AuthorizationItem;
      /** The reason for the decline; V when approved or recorded. */
      readonly code: DeclineCode | 'V';
      /** DE39. */
      readonly response_code: string;
      readonly vcn_response: string;
      readonly issuer_response: 'Approved' | 'Declined';
      readonly approval_code: string | null;
      /** A repeated message: it was answered before, and nothing changed. */
      readonly duplicate: boolean;
      /** An internal fault: nothing was recorded as approved, and the message may be sent again. */
      readonly fault: boolean;
    }
  | Refused;

interface Refused {
  readonly kind: 'refused';
  readonly refusal: Refusal;
}

export function refused(refusal: Refusal): Refused {
  return { kind: 'refused', refusal };
}

export type ClearingAnswer =
  | {
      readonly kind: 'answered';
      readonly item: ClearingItem;
      /** The network_financial_transaction_id was known, and nothing changed. */
      readonly duplicate: boolean;
    }
  | Refused;

export type ReleaseAnswer =
  | {
      readonly kind: 'answered';
      /** The authorization after its hold ended. */
      readonly item: AuthorizationItem;
    }
  | Refused;

export type FreezeAnswer =
  | {
      readonly kind: 'answered';
      readonly company_id: number;
    }
  | Refused;

export type RematchAnswer =
  | {
      readonly kind: 'answered';
      /** The clearings with the matches that they have now, in the order of the request. */
      readonly items: readonly ClearingItem[];
    }
  | Refused;

/** What a pass makes of an authorization message. */
export type AuthorizationOutcome = AuthorizationAnswer | ConsultAnswer;

/** The company is to be asked: nothing is decided, and the request holds nothing. */
export interface ConsultAnswer {
  readonly kind: 'consult';
  readonly consultation: Omit<Consultation, 'asked_at_ms' | 'respond_by_ms'> & Pick<LedgerCard, 'endpoint_version'>;
}

/** The answer for a recorded message, as it was decided. */
export function recordedAnswer(
  item: AuthorizationItem,
  { duplicate }: { readonly duplicate: boolean },
): AuthorizationAnswer {
  return answerWith(item, { duplicate, fault: false });
}

export function unknownNumberAnswer(message: AuthorizationMessage): AuthorizationAnswer {
  return answerWith(unrecordedItem(message, 'I'), { duplicate: false, fault: false });
}

/** The answer when an internal fault prevented a decision. */
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
