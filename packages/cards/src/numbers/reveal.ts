import { type AuditLog, assert, auditEntry, type Call } from '@tallystick/kernel';
import type { VirtualCard } from '../issuing/card.ts';
import type { CardStore } from '../issuing/ports.ts';
import type { CardVault } from './card-vault.ts';

/** A card's number and code in plain text. Not to be stored, logged or queued anywhere. */
export interface RevealedNumber {
  readonly card_number: string;
  readonly cvc: string;
}

/** The code as shown to callers who may not see it. */
export const masked_cvc = '***';

/**
 * The numbers and codes of the cards in plain text, by card id. Writes an audit entry for each in
 * the transaction, so that no number is shown without one. The caller has checked that the key may
 * see them.
 */
export async function revealNumbers(
  tx: { readonly cards: Pick<CardStore, 'numbers'>; readonly audit: AuditLog },
  { vault }: { readonly vault: CardVault },
  call: Call,
  cards: readonly Pick<VirtualCard, 'id' | 'company_id' | 'expiry'>[],
  details: ShownNumberDetails = {},
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
    await auditShownNumbers(tx, call, [id], details);
  }
  return revealed;
}

export interface ShownNumberDetails {
  /** It was shown without opening it again. */
  readonly replayed?: true;
  /** Why, in the words of the person. */
  readonly reason?: string;
}

/** Writes an audit entry for each card whose number is shown. */
export async function auditShownNumbers(
  tx: { readonly audit: AuditLog },
  call: Call,
  card_ids: readonly number[],
  details: ShownNumberDetails = {},
): Promise<void> {
  for (const id of card_ids) {
    await tx.audit.record(auditEntry(call, 'card_number.shown', `virtualcard:${id}`, { ...details }), call.now_ms);
  }
}
