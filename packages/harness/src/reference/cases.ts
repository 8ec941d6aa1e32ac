import type { CapabilityName } from '../system.ts';

/** A rule of the specification: a sentence, and where it stands. */
export interface Rule {
  readonly says: string;
  /** A section of the service specification, or the theme of a decision. */
  readonly clause: string;
}

interface CaseRule extends Rule {
  /** A system without these capabilities cannot reach the case. */
  readonly needs?: readonly CapabilityName[];
}

const reasons_clause = 'decision: network side, reasons';
const advice_clause = 'decision: network side, 2';
const same_message_clause = 'decision: network side, 5';
const increment_clause = 'decision: network side, 3';
const hold_clause = 'decision: windows and holds';
const matching_clause = 'decision: matching';
const order_clause = 'decision: matching, order';
const clearing_clause = 'decision: network side, clearing';
const codes_clause = 'decision: network side, codes';
const say_clause = 'decision: decision endpoint';
const by_hand_clause = 'decision: reconciliation, actions';

const clear = ['clear'] as const;
const clear_and_rematch = ['clear', 'rematch'] as const;

/**
 * The cases of the specification that a run of random sequences counts, each with its rule. A run
 * that reaches less than all of them proves less than it seems to.
 */
export const rule_of_case = {
  'reason I': {
    says: 'A number that belongs to no card is declined with 14, "Bad VCN-RCN mapping".',
    clause: reasons_clause,
  },
  'reason K': {
    says: 'A canceled card declines every request with 62, "Database status bad", and a frozen one all but refunds.',
    clause: reasons_clause,
    needs: ['cancelCard'],
  },
  'reason A': {
    says: 'A request that states another expiry than the card has is declined with 54, "Expiry date mismatch".',
    clause: reasons_clause,
  },
  'reason B': {
    says: 'A card declines with 54, "VCN expired", after 23:59:59 UTC on the last day of its expiry month.',
    clause: reasons_clause,
    needs: ['advanceClock'],
  },
  'reason C': {
    says: 'A request that states another code than the card has is declined with 63, "CVC2 mismatch".',
    clause: reasons_clause,
  },
  'reason D': {
    says: 'A request before valid_starting_on or after valid_ending_on (UTC dates) is declined with 57, "Validity period limit".',
    clause: reasons_clause,
  },
  'reason M': {
    says: 'A card with a currency declines another merchant currency with 57, "Transaction type restriction".',
    clause: reasons_clause,
  },
  'reason J': {
    says: 'A merchant category that the template of the card denies is declined with 57, "MCC limit".',
    clause: reasons_clause,
  },
  'reason H': {
    says: 'A merchant that the merchant controls of the card or of its template do not allow is declined with 57, "Merchant ID limit".',
    clause: reasons_clause,
  },
  'reason L': {
    says: 'A country that the merchant controls do not allow is declined with 57, "Geographic restriction".',
    clause: reasons_clause,
  },
  'reason N': {
    says: 'A card that is not present where it must be, or is where it must not be, is declined with 57, "Card presence restriction".',
    clause: reasons_clause,
  },
  'merchant controls: only those of the template': {
    says: 'The merchant controls of the template decline also what those of the card allow.',
    clause: reasons_clause,
  },
  'merchant controls: the message lacks the value': {
    says: 'An allow list and a required presence decline a message that lacks the value.',
    clause: reasons_clause,
  },
  'reason E': {
    says: 'An amount outside per_transaction_min and per_transaction_max is declined with 61, "Transaction amount limit".',
    clause: reasons_clause,
  },
  'reason G': {
    says: 'When transactions_max uses of the window are made, the next is declined with 65, "Transaction number usage".',
    clause: reasons_clause,
  },
  'reason F': {
    says: 'An amount above what the window has left is declined with 61, "Cumulative amount limit".',
    clause: reasons_clause,
  },
  'reason P': {
    ...asked(
      'A request that the company, or what stands in for it, declines is declined with 05, "Declined by the client".',
    ),
    clause: reasons_clause,
  },
  'say: a part of the amount': asked('The company may approve a part of the amount, which is answered with 10.'),
  'say: a part that does not fit': asked(
    'A part above the amount, or of a message that allows none, counts as no answer.',
  ),
  'say: nothing, so that it is approved': asked('What stands in for a company that does not answer may approve.'),
  'say: nothing, so that it is declined': asked('What stands in for a company that does not answer may decline.'),
  'request: after its advice': asked('A request that comes after its advice holds nothing and is no use.'),
  'request: after its advice and a reversal': asked(
    'A request that comes after its advice and a reversal in full is declined with 96, "Unable to process".',
  ),
  'reason U': {
    says: 'An original that comes after its reversal in full is declined with 96, "Unable to process", and holds nothing.',
    clause: advice_clause,
  },
  'reason V': {
    says: 'A message to which no reason of decline applies is answered with 00, "Valid".',
    clause: reasons_clause,
  },

  'rule 0': {
    says: 'A clearing with a known transaction id and the same content gets the first answer and changes nothing.',
    clause: clearing_clause,
    needs: clear,
  },
  'rule 1': {
    says: 'Rule 1: a message reversal belongs to the clearing of the same acquirer reference, card, amount, currency and approval code.',
    clause: matching_clause,
    needs: clear,
  },
  'rule 2': {
    says: 'Rule 2: a second presentment or a chargeback belongs to the clearing of the same acquirer reference, card and approval code.',
    clause: matching_clause,
    needs: clear,
  },
  'rule 3': {
    says: 'Rule 3: a clearing belongs to the authorization with the same 13 characters of the network reference, and the same approval code when both have one.',
    clause: matching_clause,
    needs: clear,
  },
  'rule 4': {
    says: 'Rule 4: a clearing belongs to the authorization with the same six characters of the network reference, a date within a day, and the same approval code.',
    clause: matching_clause,
    needs: clear,
  },
  'rule 5': {
    says: 'Rule 5: a clearing belongs to the authorization with the same approval code and merchant, an amount within 20 %, within 35 days.',
    clause: matching_clause,
    needs: clear,
  },
  'rule 6': {
    says: 'Rule 6: a clearing belongs to the only authorization with the same amount and merchant within 35 days, for review.',
    clause: matching_clause,
    needs: clear,
  },
  'rule 7': {
    says: 'Rule 7: a credit without an authorization belongs to an earlier clearing when just one fits, else it stands alone.',
    clause: matching_clause,
    needs: clear,
  },
  'rule 8': {
    says: 'Rule 8: any other clearing is a force post: it is applied to the card all the same, and flagged.',
    clause: matching_clause,
    needs: clear,
  },
  'rule 9': {
    says: 'A clearing that a person matched stays with the authorization that the person chose.',
    clause: by_hand_clause,
    needs: clear_and_rematch,
  },
  'rule 3: one of several that is open or partially cleared': {
    says: 'Of several authorizations with the network reference, those that are open or partially cleared come first.',
    clause: matching_clause,
    needs: clear,
  },
  'rule 3: one of several that is expired or released': {
    says: 'Of several authorizations with the network reference, an expired or released one comes before one that is cleared or reversed.',
    clause: matching_clause,
    needs: ['clear', 'advanceClock'],
  },
  'rule 3: the oldest of several': {
    says: 'Of several authorizations that fit equally, the oldest gets the clearing, flagged for review.',
    clause: matching_clause,
    needs: clear,
  },
  'rule 3: another merchant currency': {
    says: 'A clearing in another merchant currency than authorized is matched all the same, and flagged for review.',
    clause: matching_clause,
    needs: clear,
  },
  'rule 0: the other id of a pair': {
    says: 'A clearing with an id made from a file, and one with an id of the network, are one clearing when their content agrees.',
    clause: matching_clause,
    needs: clear,
  },
  'rule 1: one of several equal clearings': {
    says: 'A reversal that fits several equal clearings undoes the newest in the canonical order, a suspected duplicate first.',
    clause: matching_clause,
    needs: clear,
  },

  'class reversal': classOf('a message reversal, which undoes its clearing'),
  'class dispute': classOf('a second presentment or a chargeback, which leaves the balance alone'),
  'class suspected_duplicate': classOf('one that repeats the content of another under another transaction id'),
  'class refund_linked': classOf('a credit with a debit that it returns'),
  'class refund_unlinked': classOf('a credit without one, which lowers the cleared amount of the current window'),
  'class force_post': classOf('a debit without an authorization, which is applied and is a use'),
  'class late': {
    ...classOf('one that settled on a later date than that on which the hold ended'),
    needs: ['clear', 'advanceClock'],
  },
  'class partial': classOf(
    'one that says that more follow; it turns only its own amount of the hold into cleared amount',
  ),
  'class fx_drift': classOf('one whose merchant amount is as authorized, and whose billing amount differs'),
  'class exact': classOf('one of the authorized amount'),
  'class tip': classOf('one that is over by at most 20 % where tips are usual, 15 % for lodging'),
  'class over': classOf('one above the authorized amount'),
  'class under': classOf('one below the authorized amount; the rest of the hold is released'),
  'credit: above what its purchase cleared': {
    says: 'A linked credit above what its purchase cleared, net of its other credits, is flagged for review.',
    clause: clearing_clause,
    needs: clear,
  },
  'credit: before the debit of its window': {
    says: 'The cleared amount of a window is a signed sum, and counts as 0 where it is below.',
    clause: clearing_clause,
    needs: clear,
  },

  'status open': statusOf('open while it holds its amount'),
  'status cleared': statusOf('cleared after its final clearing', clear),
  'status partially_cleared': statusOf('partially_cleared after a clearing that is not final', clear),
  'status reversed': statusOf('reversed after a reversal in full'),
  'status expired': {
    says: 'A hold ends by itself at 00:00:01, by default 30 days after the UTC date of the authorization. If nothing has cleared, the authorization is then expired, and leaves the list of the card.',
    clause: 'service specification 2.2',
    needs: ['advanceClock'],
  },
  'status released': {
    says: 'An authorization whose hold was ended by hand is released, and leaves the list of the card.',
    clause: hold_clause,
    needs: ['releaseHold'],
  },
  'status declined': statusOf('declined when it was not approved'),

  'authorization: after its clearing': {
    says: 'An authorization that comes after its own clearing is decided as if that had not come, and takes its place.',
    clause: order_clause,
    needs: clear,
  },
  'authorization: declined after its clearing': {
    says: 'When an authorization that comes after its own clearing is declined, the clearing stays a force post.',
    clause: order_clause,
    needs: clear,
  },
  'authorization: after the clearing of another': {
    says: 'A clearing that bears the approval code of one authorization is never the clearing of another.',
    clause: order_clause,
    needs: clear,
  },
  'clearing: matched again': {
    says: 'Matches of rules 3 to 8 are made again for the clearings that an arriving message concerns.',
    clause: order_clause,
    needs: clear,
  },
  'increment: after the final clearing': {
    says: 'An increment that comes after the final clearing is decided as if that had not come.',
    clause: order_clause,
    needs: clear,
  },

  'another message: only message_type_indicator differs': anotherMessage('message_type_indicator'),
  'another message: only trace_id differs': anotherMessage('trace_id'),
  'another message: only system_trace_audit_number differs': anotherMessage('system_trace_audit_number'),
  'another message: only transaction_date_time differs': anotherMessage('transaction_date_time'),
  'refused: an amount above the largest': {
    says: 'An amount is a whole number of minor units, at most 10^12.',
    clause: 'decision: virtual cards, bounds',
  },

  'increment: approved in the present window': {
    says: 'An increment adds to the hold of an open authorization, is no new use, and the limits of one transaction apply to the sum.',
    clause: increment_clause,
  },
  'increment: approved in a past window': {
    says: 'An increment counts in the window of its authorization, even when that is over.',
    clause: increment_clause,
    needs: ['advanceClock'],
  },
  'increment: above what a past window has left': {
    says: 'An increment is compared with what the window of its authorization has left.',
    clause: increment_clause,
    needs: ['advanceClock'],
  },
  'increment: without an open authorization': {
    says: 'An increment without an open authorization of the card is decided like any request.',
    clause: increment_clause,
  },
  'increment: reported by an advice': {
    says: 'An advice of an increment adds to the hold, even where it breaks a limit.',
    clause: increment_clause,
  },

  'advice: of a decision elsewhere': {
    says: 'An advice of an approval is applied, even where it breaks a limit.',
    clause: advice_clause,
  },
  'advice: of a decline': {
    says: 'An advice of a decline is recorded, holds nothing, and is answered with its own code.',
    clause: advice_clause,
  },
  'advice: raises an authorization': {
    says: 'An advice of a known authorization changes its amount and its hold by the advised amount less the one reported before.',
    clause: advice_clause,
  },
  'advice: lowers an authorization': {
    says: 'An advice of a known authorization changes its amount and its hold by the advised amount less the one reported before; the hold is never below 0.',
    clause: advice_clause,
  },
  'advice: repeats an authorization': {
    says: 'An advice that reports the amount of a known authorization makes no new hold and no new use.',
    clause: advice_clause,
  },
  'advice: of an authorization that is closed': {
    says: 'An advice of an authorization that is neither open nor partially cleared is only recorded.',
    clause: advice_clause,
  },
  'advice: of a decline of a known authorization': {
    says: 'An advice of a decline is only recorded, also when it has the trace_id of an approved authorization.',
    clause: advice_clause,
  },

  'reversal: in full': {
    says: 'A reversal in full ends the hold and gives the use back, unless something of the authorization has cleared.',
    clause: hold_clause,
  },
  'reversal: in part': {
    says: 'A reversal in part lowers the hold to the corrected amount, in the limit currency of the card.',
    clause: advice_clause,
  },
  'reversal: of an expired authorization': {
    says: 'An authorization that was reversed counts as reversed, whether or not its hold had expired.',
    clause: order_clause,
    needs: ['advanceClock'],
  },
  'reversal: of a released authorization': {
    says: 'An authorization that was released by hand stays released when it is reversed; its use is given back.',
    clause: hold_clause,
    needs: ['releaseHold'],
  },
  'reversal: only the amount of another currency': {
    says: 'A reversal that names only the amount of another currency than that of the limits is refused.',
    clause: advice_clause,
  },
  'early reversal: in full': {
    says: 'When a reversal in full came before its original, the original is declined (U) and holds nothing.',
    clause: advice_clause,
  },
  'early reversal: in part': {
    says: 'When a reversal in part came before its original, the original is decided on the corrected amount.',
    clause: advice_clause,
  },
  'early reversal: the smallest of several in part': {
    says: 'Of several reversals in part that came before their original, the smallest amount counts.',
    clause: advice_clause,
  },
  'early reversal: in full among others in part': {
    says: 'Of several reversals that came before their original, one in full wins.',
    clause: advice_clause,
  },
  'early reversal: left by the advice of a decline': {
    says: 'An advice of a decline does not use up a reversal that came before its original.',
    clause: advice_clause,
  },
  'early reversal: used before': {
    says: 'A reversal that came before its original is used once: a later request with the trace_id is another transaction.',
    clause: advice_clause,
  },

  'codes: the tenth wrong one': {
    says: 'Every message with a wrong code counts, and the tenth of a UTC day writes virtualcard.updated.',
    clause: codes_clause,
  },
  'codes: the right code of a locked card': {
    says: 'After ten wrong codes in a UTC day any code of the card is declined with 63, "CVC2 mismatch".',
    clause: codes_clause,
  },
  'codes: forgotten': {
    says: 'An operator can end the lock early; the codes before it do not count.',
    clause: codes_clause,
    needs: ['resetCodeFailures'],
  },

  'update: to a total that is used up': {
    says: 'The total of a card can be lowered to the amount that is used in the window.',
    clause: 'decision: virtual cards, PATCH',
    needs: ['updateCard'],
  },
  'update: to a total below what is used': {
    says: 'A total below the amount that is used in the window is refused.',
    clause: 'decision: virtual cards, PATCH',
    needs: ['updateCard'],
  },

  'hold: released by hand': {
    says: 'A hold can be ended by hand: its amount is free, the use stays, and virtualcard.updated is written.',
    clause: hold_clause,
    needs: ['releaseHold'],
  },
  'hold: nothing to release': {
    says: 'The release of an authorization that holds nothing is refused as a conflict.',
    clause: hold_clause,
    needs: ['releaseHold'],
  },
  'hold: made without an end': {
    says: 'With the hold days "never", later holds of cards without aging velocity have no end.',
    clause: hold_clause,
    needs: ['setHoldDays'],
  },
  'hold: made with an end of the company': {
    says: 'Later holds of cards without aging velocity end after the hold days of the company, at 00:00:01 UTC.',
    clause: hold_clause,
    needs: ['setHoldDays'],
  },

  'frozen: declines a request': frozen('A frozen card declines every request with 62, except refunds.'),
  'frozen: takes a refund': frozen('A refund request on a frozen card is decided as on any other.'),
  'freeze: repeated': frozen('To freeze a frozen card changes nothing, and neither does the end of no freeze.'),
  'freeze: of a canceled card': {
    ...frozen('A freeze of a canceled card, or the end of one, is refused as a conflict.'),
    needs: ['setFrozen', 'cancelCard'],
  },

  'by hand: a match': byHand('A person can match a clearing to another authorization of its card.'),
  'by hand: a match taken back': byHand('A person can take a clearing from its authorization.'),
  'by hand: a confirmation': byHand('A person can confirm a match, which then stays.'),
  'by hand: a confirmation taken back': byHand(
    'A confirmation can be taken back, and the rules match the clearing again.',
  ),
  'by hand: other clearings matched again': byHand(
    'A match by hand frees or takes an authorization, and other clearings are matched again.',
  ),
  'by hand: refused': byHand('A request by hand that does not fit what is there is refused as a conflict.'),

  'refused: other_billing_currency': quarantined('in another billing currency than that of the real card'),
  'refused: transaction_of_another_card': quarantined('with a transaction id that is known on another card'),
  'refused: transaction_of_another_clearing': quarantined('with a known transaction id and other content'),
  'refused: unknown_card': quarantined('of an unknown card'),
  'quarantine: refused again': {
    says: 'A clearing of the quarantine whose cause is not gone is refused again when it is replayed.',
    clause: clearing_clause,
    needs: ['clear', 'quarantine', 'replay'],
  },
  'quarantine: replayed': {
    says: 'A clearing of the quarantine whose cause is gone is applied when it is replayed, once.',
    clause: clearing_clause,
    needs: ['clear', 'quarantine', 'replay'],
  },
} as const satisfies Readonly<Record<string, CaseRule>>;

export type Case = keyof typeof rule_of_case;

export const cases = Object.keys(rule_of_case) as readonly Case[];

/** A system without these capabilities cannot reach the case. */
export function needsOf(reached: Case): readonly CapabilityName[] {
  const { needs = [] }: CaseRule = rule_of_case[reached];
  return needs;
}

/** What is compared besides the answer to a message, each with the rule for it. */
export const rule_of_value = {
  available_balance: {
    says: 'The available balance is the total of the current window, less what cleared in it (net of credits) and its open holds.',
    clause: 'service specification 2.1; decision: virtual cards',
  },
  uses: {
    says: 'Each approved purchase with an amount is a use of its window, a reversal in full gives it back, and a debit without an authorization is one.',
    clause: hold_clause,
  },
  balance: {
    says: 'The balance is what is available, and its parts: the limit, what cleared, the open holds, the window, the uses, and the next end of a hold.',
    clause: 'service specification 2.1; decision: virtual cards',
  },
  frozen: { says: 'A card is frozen from a freeze until its end.', clause: hold_clause },
  status: { says: 'A valid card is Approved, and a canceled one is Canceled.', clause: 'service specification 2.1' },
  expiry: {
    says: 'A card expires two years after its creation, on the last day of that month.',
    clause: 'service specification 2.1',
  },
  notified: {
    says: 'A card is notified when its details were mailed to at least one address.',
    clause: 'service specification 2.1',
  },
  controls: {
    says: 'A card has the controls and details of its creation and later changes, and the defaults for what they leave out.',
    clause: 'service specification 2.1; decision: virtual cards',
  },
  authorizations: {
    says: 'A card lists its authorizations, newest first, without those that are expired or released.',
    clause: 'service specification 2.2; decision: virtual cards',
  },
  clearings: {
    says: 'A card lists its clearings, newest first, each with its class and what it is matched to at present.',
    clause: 'service specification 2.1; decision: matching',
  },
  events: {
    says: 'Each creation, change, cancellation, decision and clearing of a card is one event, in this order.',
    clause: 'service specification 6',
  },
  quarantine: {
    says: 'A refused clearing is kept once, however often it comes, with the reason of its last refusal.',
    clause: clearing_clause,
  },
  refusal: {
    says: 'A request with a value that is not allowed is refused as validation_failed and names the field, and changes nothing.',
    clause: 'decision: virtual cards',
  },
  duplicate: {
    says: 'The same message again (card, message type, trace_id, system_trace_audit_number, transaction_date_time) gets the first answer and changes nothing.',
    clause: same_message_clause,
  },
} as const satisfies Readonly<Record<string, Rule>>;

export type ComparedValue = keyof typeof rule_of_value;

function classOf(meaning: string): CaseRule {
  return {
    says: `A clearing has the first class that applies; this one is ${meaning}.`,
    clause: matching_clause,
    needs: clear,
  };
}

function statusOf(meaning: string, needs: readonly CapabilityName[] = []): CaseRule {
  return { says: `An authorization is ${meaning}.`, clause: 'decision: virtual cards', needs };
}

function frozen(says: string) {
  return { says, clause: hold_clause, needs: ['setFrozen'] } as const;
}

function asked(says: string) {
  return { says, clause: say_clause, needs: ['askCompany'] } as const;
}

function byHand(says: string): CaseRule {
  return { says, clause: by_hand_clause, needs: clear_and_rematch };
}

function anotherMessage(key: string): CaseRule {
  return {
    says: `A message that differs from an earlier one only in ${key} is another message.`,
    clause: same_message_clause,
  };
}

function quarantined(meaning: string): CaseRule {
  return { says: `A clearing ${meaning} is refused, and kept in quarantine.`, clause: clearing_clause, needs: clear };
}
