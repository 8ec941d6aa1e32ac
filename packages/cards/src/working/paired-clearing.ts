import { fillBlanks, isAgreeing } from '../matching/net-reference-number.ts';
import type { CopyFields } from '../records/card-act.ts';
import { type Clearing, type ClearingMessage, sentReferenceOf } from '../records/clearing.ts';
import { isSameInContent } from '../records/clearing-identity.ts';
import { inCanonicalOrder } from '../settling/canonical-order.ts';
import type { Pass } from './pass.ts';
import { auditChanges, joined, settleAgain } from './settle-again.ts';
import type { WorkingCard } from './working-card.ts';

/**
 * Rule 0 for a format without transaction ids: a clearing with a synthetic id and one with an id of
 * the network are one clearing when acquirer reference data, amount, type, cycle and network
 * reference agree. Each pairs once at most (clearing files: matching). Of several the first in the
 * canonical order. `clearings` has at least those with the acquirer reference data of the message.
 */
export function findPair(clearings: readonly Clearing[], message: ClearingMessage): Clearing | null {
  if (message.acquirer_reference_data === null) return null;
  const [first = null] = inCanonicalOrder(clearings.filter((clearing) => isPair(clearing, message)));
  return first;
}

function isPair(clearing: Clearing, message: ClearingMessage): boolean {
  return (
    clearing.synthetic_id !== message.synthetic_id &&
    clearing.paired_transaction_id === null &&
    isSameInContent(clearing, message) &&
    isAgreeing(sentReferenceOf(clearing), message.net_reference_number)
  );
}

/**
 * Records the second id of a clearing. That of the network becomes its
 * `network_financial_transaction_id`, and its place in the canonical order may change with it. Its
 * network reference has the characters that either of the two knows. Its other fields stay those of
 * the copy that came first (docs/adr/0033). When its reference or its place may have changed, it is
 * matched again.
 */
export function recordPair(
  pass: Pass,
  working: WorkingCard,
  clearing: Clearing,
  { message, event_id }: { readonly message: ClearingMessage; readonly event_id: number },
): void {
  const { network_financial_transaction_id: id } = message;
  const first = copyFieldsOf({ ...clearing, net_reference_number: sentReferenceOf(clearing) });
  const act = { kind: 'pair', clearing_id: clearing.id, first, second: copyFieldsOf(message) } as const;
  pass.card_acts.push({ card_id: working.card.id, event_id, at_ms: pass.now_ms, act });
  const known = withReference(clearing, message.net_reference_number);
  const paired: Clearing = message.synthetic_id
    ? { ...known, paired_transaction_id: id }
    : {
        ...known,
        network_financial_transaction_id: id,
        synthetic_id: false,
        paired_transaction_id: clearing.network_financial_transaction_id,
      };
  const before = working.around({ clearings: [clearing] });
  working.putClearing(paired);
  pass.clearings.set(id, paired);
  const since = working.around({ clearings: [paired] });
  const clearings = joined(since.clearings, before.clearings);
  const may_move = !message.synthetic_id && clearings.length > 1;
  if (known === clearing && !may_move) return;
  const concerned = { roots: joined(since.roots, before.roots), clearings };
  if (settleAgain(working, concerned)) auditChanges(pass, working, concerned.clearings, message.request_id);
}

function copyFieldsOf({
  network_financial_transaction_id,
  synthetic_id,
  net_reference_number,
}: CopyFields): CopyFields {
  return { network_financial_transaction_id, synthetic_id, net_reference_number };
}

/**
 * The clearing as if its message had stated the characters of another reference in the place of its
 * blanks. What a matched authorization knows stays there until it is matched again.
 */
function withReference(clearing: Clearing, net_reference_number: string | null): Clearing {
  const stated = sentReferenceOf(clearing);
  const sent = fillBlanks(stated, net_reference_number);
  if (sent === stated) return clearing;
  const { net_reference_number: replaced, ...others } = clearing.sent ?? {};
  if (replaced === undefined) return { ...clearing, net_reference_number: sent };
  return {
    ...clearing,
    net_reference_number: fillBlanks(sent, clearing.net_reference_number),
    sent: { ...others, net_reference_number: sent },
  };
}
