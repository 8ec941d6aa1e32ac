import { auditEntry, type Call, Refusal } from '@tallystick/kernel';
import { utcDateAt } from '@tallystick/velocity';
import type { Counters, VirtualCard } from './card.ts';
import { toCardEvent, toCardPayload } from './card-event.ts';
import type { CardsTx } from './ports.ts';
import { readBalance } from './read-cards.ts';

/**
 * The wrong codes of a card in one UTC day after which every code counts as wrong until the day is
 * over (decision: codes cannot be guessed).
 */
export const code_failures_max = 10;

type CodeCounters = Pick<Counters, 'code_failures' | 'code_failures_on'>;

/**
 * The wrong codes of a card that count on this UTC date. A date never goes back: a machine whose
 * clock is behind counts on the later date of another.
 */
export function codeFailuresOn({ code_failures, code_failures_on }: CodeCounters, date: string): number {
  return code_failures_on !== null && code_failures_on >= date ? code_failures : 0;
}

/**
 * How many wrong codes a pass counted, and how many cards reached the maximum: from the cards before
 * it and their counters after it. For the metrics.
 */
export function countedCodeFailures(
  { cards }: { readonly cards: readonly { readonly id: number; readonly counters: CodeCounters }[] },
  { counters }: { readonly counters: readonly { readonly card_id: number; readonly counters: CodeCounters }[] },
): { readonly failures: number; readonly lockouts: number } {
  const before = new Map(cards.map((card) => [card.id, card.counters]));
  let failures = 0;
  let lockouts = 0;
  for (const { card_id, counters: after } of counters) {
    const known = before.get(card_id);
    if (known === undefined || after.code_failures_on === null) continue;
    const earlier = codeFailuresOn(known, after.code_failures_on);
    failures += after.code_failures - earlier;
    if (after.code_failures === code_failures_max && earlier < code_failures_max) lockouts += 1;
  }
  return { failures, lockouts };
}

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
  const state = toCardPayload(card, (await readBalance(tx, its_call, card)).available);
  const after = { ...state, code_failures: 0 };
  await tx.events.append([toCardEvent('virtualcard.updated', its_call, after, { ...state, code_failures })]);
  const entry = auditEntry(its_call, 'code_failures.reset', `virtualcard:${id}`, { code_failures });
  await tx.audit.record(entry, call.now_ms);
  return { card, forgotten: code_failures };
}
