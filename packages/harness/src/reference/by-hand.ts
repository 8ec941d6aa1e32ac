import type { RematchWire } from '../system.ts';
import { type AnsweredClearing, purchasesOf, type ReferenceCard } from './card.ts';
import { settleAll } from './clearing.ts';
import type { HandDecision } from './hand-decision.ts';
import { isRefund, type Purchase } from './purchase.ts';

/** Why a request is refused: the fields that are wrong, or none when it is in conflict. */
export type HandRefusal = readonly string[];

/**
 * Does what a person asks for about a clearing of the card, and settles the card again. Returns why
 * it is refused, or null.
 */
export function decideByHand(
  card: ReferenceCard,
  clearing: AnsweredClearing,
  request: RematchWire,
  now_ms: number,
): HandRefusal | null {
  const { authorization_id, is_confirmation } = request;
  const { answer, message } = clearing;
  const is_by_hand = answer.match_rule === 9;
  if (answer.authorization_id !== request.expected_authorization_id) return in_conflict;
  if (is_by_hand !== (request.expected_matched_by === 'person')) return in_conflict;
  if (message.cycle !== undefined) return in_conflict;
  if (authorization_id === null && answer.authorization_id === null) return in_conflict;
  const under = (decisions: readonly HandDecision[]) => purchaseUnder(card, clearing, decisions, now_ms);
  const { decisions, purchase: present } = clearing;
  if (is_confirmation) {
    if (authorization_id === null) {
      const earlier = decisions.slice(0, -1);
      if (!is_by_hand || under(earlier) !== present) return in_conflict;
      clearing.decisions = earlier;
    } else {
      if (is_by_hand || answer.authorization_id !== authorization_id) return in_conflict;
      clearing.decisions = [...decisions, { purchase: present!, belongs: true }];
    }
  } else if (authorization_id === null) {
    clearing.decisions = withDecision(decisions, { purchase: present!, belongs: false }, under);
  } else {
    if (answer.authorization_id === authorization_id || is_by_hand) return in_conflict;
    const purchase = purchasesOf(card).find(({ id }) => id === authorization_id);
    if (purchase === undefined) return ['authorization_id'];
    if (message.clearing_type === 'DEBIT' && isRefund(purchase.message)) return in_conflict;
    clearing.decisions = withDecision(decisions, { purchase, belongs: true }, under);
  }
  settleAll(card, now_ms);
  return null;
}

const in_conflict: HandRefusal = [];

/**
 * The decisions after one more. It takes the newest one back when that is enough, and when deciding
 * the opposite again would lead to the same decisions as now.
 */
function withDecision(
  decisions: readonly HandDecision[],
  decision: HandDecision,
  under: (decisions: readonly HandDecision[]) => Purchase | null,
): readonly HandDecision[] {
  const newest = decisions.at(-1);
  const is_opposite = newest?.purchase === decision.purchase && newest.belongs !== decision.belongs;
  if (newest === undefined || !is_opposite) return [...decisions, decision];
  const earlier = decisions.slice(0, -1);
  const would_belong = under(earlier) === decision.purchase;
  // Of the same length only when the newest one would be added to the earlier ones again.
  const is_exact = withDecision(earlier, newest, under).length === decisions.length;
  return would_belong === decision.belongs && is_exact ? earlier : [...decisions, decision];
}

/** The purchase of the clearing if people had decided this about it. */
function purchaseUnder(
  card: ReferenceCard,
  clearing: AnsweredClearing,
  decisions: readonly HandDecision[],
  now_ms: number,
): Purchase | null {
  const actual = clearing.decisions;
  clearing.decisions = decisions;
  settleAll(card, now_ms);
  const found = clearing.purchase;
  clearing.decisions = actual;
  settleAll(card, now_ms);
  return found;
}
