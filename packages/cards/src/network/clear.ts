import { assert, invalid, money, Refusal, scale } from '@tallystick/kernel';
import { utcDateAt } from '@tallystick/velocity';
import { restoreClearing } from '../retention/reduce.ts';
import type { ClearingAnswer } from './answer.ts';
import type { Authorization } from './authorization.ts';
import { otherCurrency } from './authorize.ts';
import { type Clearing, type ClearingMessage, isDispute } from './clearing.ts';
import { classOf } from './clearing-class.ts';
import { clearingItem } from './clearing-item.ts';
import { clearAgainst, credit, holdTaken, isRefundRoot } from './hold.ts';
import type { LedgerCard } from './ledger.ts';
import { limitAmountSent, type Match, matchClearing } from './match.ts';
import type { Pass } from './pass.ts';
import { refuseClearing } from './refuse-clearing.ts';
import { refuseSum } from './sum-limit.ts';
import type { WorkingCard } from './working-copy.ts';

/** The stored name of the event about a clearing (service specification 2.5, type 7). */
export const clearing_event_type = 'virtualcard.clearings';

/**
 * Records one clearing and its effect on the card, on the working copy of the pass. A clearing of a
 * known card is always applied: above the hold, after the hold ended, and without an authorization.
 * One that cannot be applied is refused and kept in quarantine.
 */
export function foldClearing(pass: Pass, message: ClearingMessage): ClearingAnswer {
  const working = cardOf(pass, message);
  if (working === null) return refuseClearing(pass, message, 'unknown_card', unknownCard(message));
  const { card } = working;
  const known = pass.clearings.get(message.network_financial_transaction_id);
  if (known !== undefined) {
    return known.card_id === card.id
      ? { kind: 'answered', item: clearingItem(restoreClearing(known, message), card), duplicate: true }
      : refuseClearing(pass, message, 'transaction_of_another_card', takenByAnotherCard());
  }
  if (message.billing_currency !== card.billing_currency) {
    return refuseClearing(pass, message, 'other_billing_currency', otherCurrency(card, message.billing_currency));
  }
  const clearing = clear(pass, working, message);
  if (clearing instanceof Refusal) return refuseClearing(pass, message, 'sum_limit', clearing);
  working.insertClearing(clearing);
  pass.clearings.set(clearing.network_financial_transaction_id, clearing);
  const item = clearingItem(clearing, card);
  pass.events.push({
    id: pass.nextEventId(),
    company_id: card.company_id,
    event_type: clearing_event_type,
    payload: item,
    previous: null,
    created_at_ms: pass.now_ms,
    request_id: message.request_id,
  });
  return { kind: 'answered', item, duplicate: false };
}

function cardOf(pass: Pass, { number_index, vcn_id }: ClearingMessage): WorkingCard | null {
  if (number_index !== null) return pass.cards.ofNumber(number_index);
  return vcn_id === null ? null : pass.cards.ofId(vcn_id);
}

function unknownCard({ vcn_id }: ClearingMessage): Refusal {
  const named = vcn_id === null ? 'with this number' : String(vcn_id);
  return new Refusal('not_found', `there is no virtual card ${named}`);
}

function takenByAnotherCard(): Refusal {
  const path = 'network_financial_transaction_id';
  return invalid({ path, message: 'must be unique, and a clearing of another card has it' });
}

/**
 * Matches the clearing, moves hold and use, and returns the record; or changes nothing, and returns
 * the refusal of a sum that would be too large.
 */
function clear(pass: Pass, working: WorkingCard, message: ClearingMessage): Clearing | Refusal {
  const { card } = working;
  const match = matchClearing({
    message,
    card,
    authorizations: [...working.entries()].map(({ now }) => now),
    clearings: working.clearings,
    now_ms: pass.now_ms,
  });
  const { amount, sure } = limitAmountOf(card, message, match.authorization);
  const clearing_class = classOf({ message, match, card, clearings: working.clearings, amount, now_ms: pass.now_ms });
  const effect = effectOf(working, message, match, amount);
  const { kind, pan, number_index, vcn_id, suspects, ...recorded_fields } = message;
  const { authorization } = match;
  const { window_start_ms, cleared_effect: cleared, hold_effect } = effect;
  const refusal = refuseSum(working, { window_start_ms, root: authorization, held: -hold_effect, cleared });
  if (refusal !== null) return refusal;
  const clearing: Clearing = {
    ...recorded_fields,
    id: pass.nextClearingId(),
    company_id: card.company_id,
    card_id: card.id,
    recorded_at_ms: pass.now_ms,
    reduced_at_ms: null,
    authorization_date:
      authorization === null ? message.authorization_date : utcDateAt(authorization.transaction_date_time_ms),
    authorization_id: authorization?.id ?? null,
    clearing_id: match.clearing?.id ?? null,
    match_rule: match.rule,
    review: match.review || !sure || exceedsPurchase(working, message, match, effect.cleared_effect),
    class: clearing_class,
    window_start_ms: effect.window_start_ms,
    cleared_effect: money(effect.cleared_effect),
    hold_effect: money(effect.hold_effect),
    uses: effect.uses,
  };
  applyToAuthorization(working, message, match, effect);
  return clearing;
}

interface Effect {
  readonly window_start_ms: number;
  readonly cleared_effect: number;
  readonly hold_effect: number;
  readonly uses: 0 | 1;
}

/**
 * The effect of a clearing: on the cleared amount of a window, on the hold, and whether it is a use
 * of its own. A credit has its full negative effect, and a message reversal exactly undoes the
 * effect of its clearing (decision: clearing).
 */
function effectOf(working: WorkingCard, message: ClearingMessage, match: Match, amount: number): Effect {
  const { authorization, clearing } = match;
  const window_start_ms = clearing?.window_start_ms ?? authorization?.window_start_ms ?? working.window_start_ms;
  const effect = { window_start_ms, cleared_effect: 0, hold_effect: 0, uses: 0 } as const;
  if (isDispute(message)) return effect;
  if (message.cycle === 'reversal' && clearing !== null && match.rule === 1) {
    return { ...effect, cleared_effect: 0 - clearing.cleared_effect };
  }
  if (message.clearing_type === 'CREDIT') return { ...effect, cleared_effect: 0 - amount };
  if (message.cycle === 'reversal') return { ...effect, cleared_effect: amount };
  return {
    ...effect,
    cleared_effect: amount,
    hold_effect: authorization === null ? 0 : holdTaken(authorization, amount, message.partial),
    // A debit without an authorization is a use of the card. The use of an authorization is on its
    // own row.
    uses: authorization === null ? 1 : 0,
  };
}

/**
 * Whether a linked credit takes back more than its purchase cleared, net of the other credits of
 * the purchase (decision: clearing). The authorization of a refund has no purchase.
 */
function exceedsPurchase(
  { clearings }: WorkingCard,
  { clearing_type }: ClearingMessage,
  { authorization, clearing }: Match,
  cleared_effect: number,
): boolean {
  if (clearing_type !== 'CREDIT' || cleared_effect >= 0) return false;
  if (authorization !== null) return !isRefundRoot(authorization) && authorization.cleared + cleared_effect < 0;
  return clearing !== null && netOf(clearing, clearings) + cleared_effect < 0;
}

/**
 * What a clearing without an authorization has cleared, net of its credits: its effect, that of the
 * clearings that refer to it, and that of the reversals of these.
 */
function netOf(clearing: Clearing, clearings: readonly Clearing[]): number {
  const ids = new Set([clearing.id]);
  let net: number = clearing.cleared_effect;
  // A clearing refers only to older ones, and the list is ordered by age.
  for (const { id, clearing_id, cleared_effect } of clearings) {
    if (clearing_id === null || !ids.has(clearing_id)) continue;
    ids.add(id);
    net += cleared_effect;
  }
  return net;
}

function applyToAuthorization(working: WorkingCard, message: ClearingMessage, match: Match, effect: Effect): void {
  if (match.authorization === null || isDispute(message)) return;
  const root = working.entry(match.authorization.id);
  assert(root !== undefined, `authorization ${match.authorization.id} was matched but is not of this pass`);
  const refund = isRefundRoot(root.now);
  // A credit does not change the hold of a purchase. It settles the authorization of a refund.
  if (message.cycle === 'reversal' || (message.clearing_type === 'CREDIT' && !refund)) {
    credit(working, root, effect.cleared_effect);
  } else {
    const { clearing_type, partial } = message;
    clearAgainst(working, root, { ...effect, clearing_type, partial });
  }
}

/**
 * The amount of the clearing in the card's limit currency. A card with currency control counts in
 * the merchant currency. When the clearing has no such amount, the billed amount is converted at
 * the rate of the authorization. Without an authorization the billed amount counts, and the
 * clearing needs review (`sure` is false).
 */
function limitAmountOf(
  card: LedgerCard,
  message: ClearingMessage,
  root: Authorization | null,
): { readonly amount: number; readonly sure: boolean } {
  const { billing_amount } = message;
  const sent = limitAmountSent(message, card);
  if (sent !== null) return { amount: sent, sure: true };
  if (root === null || root.billing_amount === 0) return { amount: billing_amount, sure: false };
  return { amount: scale(billing_amount, root.merchant_amount, root.billing_amount), sure: false };
}
