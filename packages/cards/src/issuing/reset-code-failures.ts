import { auditEntry, type Call, Refusal } from '@tallystick/kernel';
import { utcDateAt } from '@tallystick/velocity';
import type { VirtualCard } from './card.ts';
import { toCardEvent, toCardPayload } from './card-event.ts';
import { codeFailuresOn } from './code-failures.ts';
import type { CardsTx } from './ports.ts';
import { balanceOf } from './read-cards.ts';

/**
 * Forgets the wrong codes of a card of any company, so that its code counts again before the UTC
 * day is over. Writes the audit log and the event virtualcard.updated, unless no wrong code counts
 * today. Returns the card with how many wrong codes it forgot. Refuses (`not_found`) an unknown
 * card. For operators.
 */
export async function resetCodeFailures(
  tx: Pick<CardsTx, 'cards' | 'events' | 'audit'>,
  call: Omit<Call, 'company_id'>,
  id: number,
): Promise<{ readonly card: VirtualCard; readonly forgotten: number }> {
  const card = await tx.cards.resetCodeFailures(id);
  if (card === null) throw new Refusal('not_found', `there is no virtual card ${id}`);
  const { counters, company_id } = card;
  const code_failures = codeFailuresOn(counters, utcDateAt(call.now_ms));
  if (code_failures === 0) return { card, forgotten: 0 };
  const its_call = { ...call, company_id };
  const state = toCardPayload(card, await balanceOf(tx, its_call, card));
  const after = { ...state, code_failures: 0 };
  await tx.events.append([toCardEvent('virtualcard.updated', its_call, after, { ...state, code_failures })]);
  const entry = auditEntry(its_call, 'code_failures.reset', `virtualcard:${id}`, { code_failures });
  await tx.audit.record(entry, call.now_ms);
  return { card, forgotten: code_failures };
}
