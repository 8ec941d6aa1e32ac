import { type AuditLog, assert, auditEntry, type Call } from '@tallystick/kernel';
import type { VirtualCard } from '../issuing/card.ts';
import type { CardStore } from '../issuing/ports.ts';
import type { CardVault } from './card-vault.ts';

/** A card's number and code in clear. Not to be stored, logged or queued anywhere. */
export interface RevealedNumber {
  readonly card_number: string;
  readonly cvc: string;
}

/** How the code is shown to those who may not see it. */
export const masked_cvc = '***';

/**
 * The numbers and codes of the cards in clear, by card id. Each is written to the audit log in the transaction, so that
 * no number is shown that the log does not tell of. The caller has made sure that the key may see them.
 */
export async function revealNumbers(
  tx: { readonly cards: Pick<CardStore, 'numbers'>; readonly audit: AuditLog },
  { vault }: { readonly vault: CardVault },
  call: Call,
  cards: readonly Pick<VirtualCard, 'id' | 'company_id' | 'expiry'>[],
): Promise<ReadonlyMap<number, RevealedNumber>> {
  const revealed = new Map<number, RevealedNumber>();
  if (cards.length === 0) return revealed;
  const numbers = await tx.cards.numbers(cards.map(({ id }) => id));
  for (const { id, company_id, expiry } of cards) {
    assert(company_id === call.company_id, `card ${id} is not of the company that asks`);
    const number = numbers.get(id);
    assert(number !== undefined, `card ${id} has no number`);
    const pan = vault.open(number.number_sealed);
    revealed.set(id, { card_number: pan.reveal(), cvc: vault.cvc(pan, expiry) });
    await auditShownNumbers(tx, call, [id]);
  }
  return revealed;
}

/**
 * Tells the audit log that the numbers of the company's cards are shown; `details` says how, where it was not by opening them anew.
 */
export async function auditShownNumbers(
  tx: { readonly audit: AuditLog },
  call: Call,
  card_ids: readonly number[],
  details: { readonly replayed?: true } = {},
): Promise<void> {
  for (const id of card_ids) {
    await tx.audit.record(auditEntry(call, 'card_number.shown', `virtualcard:${id}`, details), call.now_ms);
  }
}
