import { invalid, type Refusal } from '@tallystick/kernel';
import { type Authorization, type AuthorizationMessage, limitCurrency } from '../records/authorization.ts';
import type { LedgerCard } from '../records/ledger.ts';
import { isOriginal } from './hold.ts';
import type { WorkingCard } from './working-card.ts';

/** The fields of a reversal, as a message or as recorded, that its corrected amount depends on. */
type ReversalAmounts = Pick<AuthorizationMessage, 'merchant_currency' | 'replacement_amounts'>;

/**
 * The authorized amount that remains after a reversal, in minor units of the card's limit currency;
 * 0 for a reversal in full. Of the billing amount and the transaction amount, the first counts that
 * is not 0 and is in the limit currency: the network leaves an amount out by null or by 0. A
 * reversal in part with neither is refused, naming the missing field (decision: network side, 2).
 */
export function correctedAmount(
  card: Pick<LedgerCard, 'billing_currency' | 'currency'>,
  { merchant_currency, replacement_amounts }: ReversalAmounts,
): number | Refusal {
  if (replacement_amounts === null) return 0;
  const limit_currency = limitCurrency(card);
  const { billing_amount, transaction_amount } = replacement_amounts;
  if (billing_amount && card.billing_currency === limit_currency) return billing_amount;
  if (transaction_amount && merchant_currency === limit_currency) return transaction_amount;
  const name = card.currency === null ? 'billing_amount' : 'transaction_amount';
  const message = `must be sent: it is the amount in ${limit_currency}, in which the limits of this card are`;
  return invalid({ path: `replacement_amounts.${name}`, message });
}

/**
 * What reversals that arrived before their original leave of it: the smallest corrected amount, 0
 * for a reversal in full. Null when no reversal waits (decision: network side, 2).
 *
 * Reversals are used once, by the first original that comes: those before it wait no longer. An
 * advice of a decline is no original.
 */
export function earlyCorrection(card: WorkingCard, trace_id: string): number | null {
  const traced = card.findByTraceId(trace_id).map(({ now }) => now);
  const original_id = traced.findLast(isOriginal)?.id ?? 0;
  const amounts = traced
    .filter(({ id, root_id }) => root_id === null && id > original_id)
    .map((reversal) => correctedAmount(card.card, asSent(reversal)))
    .filter((amount) => typeof amount === 'number');
  return amounts.length === 0 ? null : Math.min(...amounts);
}

function asSent({ merchant_currency, details }: Authorization): ReversalAmounts {
  const replacement_amounts = (details.replacement_amounts ?? null) as ReversalAmounts['replacement_amounts'];
  return { merchant_currency, replacement_amounts };
}
