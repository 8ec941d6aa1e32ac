import type { AuthorizationWire, StandIn } from '../system.ts';
import type { ReferenceCard } from './card.ts';
import { isRefund } from './purchase.ts';

interface Judged {
  readonly reason: string;
  readonly left: { readonly left?: number };
}

/**
 * Judges the amount, and asks the company about it: about a request with an amount that would be
 * approved. A part that it approves is judged again. `stand_in` is null when it is not asked.
 */
export function withSay<Result extends Judged>(
  card: ReferenceCard,
  message: AuthorizationWire,
  stand_in: StandIn | null,
  amount: number,
  judge: (amount: number) => Result,
): Omit<Result, 'reason'> & { readonly reason: Result['reason'] | 'P'; readonly is_part: boolean } {
  const judged = judge(amount);
  if (stand_in === null || judged.reason !== 'V' || amount === 0 || isRefund(message)) {
    return { ...judged, is_part: false };
  }
  const said = saidOf(card, message, stand_in, amount);
  if (said === 'decline') return { ...judged, reason: 'P', left: {}, is_part: false };
  if (said === amount) return { ...judged, is_part: false };
  const of_part = judge(said);
  if (of_part.reason === 'V') card.note('say: a part of the amount');
  return { ...of_part, is_part: true };
}

/** What of the amount is approved. */
function saidOf(card: ReferenceCard, message: AuthorizationWire, stand_in: StandIn, amount: number) {
  const { say = { answer: 'approve' }, partial_approval = false } = message;
  if (say.answer === 'approve_part' && partial_approval && say.amount <= amount) return say.amount;
  if (say.answer === 'approve') return amount;
  if (say.answer === 'decline') return 'decline';
  card.note(
    say.answer === 'approve_part' ? 'say: a part that does not fit' : `say: nothing, so that it is ${stand_in}d`,
  );
  return stand_in === 'approve' ? amount : 'decline';
}
