import type { Authorization, VirtualCard } from '@tallystick/cards';
import type { State } from '@tallystick/memory';
import { utcDateOf } from './calendar.ts';
import type { Invariant, Step } from './invariant.ts';

const refund = /^2[08](?:\d{4})?$/;

/** A request that the service decided itself, and approved. */
function isApprovedOnline({ message_type, decline_code, details }: Authorization): boolean {
  const code = details.card_holder_transaction_type_code;
  const is_refund = typeof code === 'string' && refund.test(code);
  return message_type === '0100' && decline_code === null && !is_refund;
}

/** A card that was decided about, as it was before and after the step: it may have been changed. */
interface Decided {
  readonly versions: readonly VirtualCard[];
  readonly approved: Authorization[];
  /** Other work in the step may have changed what the decision saw. */
  is_mixed: boolean;
}

function decidedCards(step: Step): ReadonlyMap<number, Decided> {
  const cards = new Map<number, Decided>();
  for (const { before, after } of step.changes('authorizations')) {
    if (before !== undefined || after === undefined || !isApprovedOnline(after)) continue;
    const id = after.card_id;
    const versions = [step.before.cards.get(id), step.state.cards.get(id)].filter((card) => card !== undefined);
    const decided = cards.get(id) ?? { versions, approved: [], is_mixed: false };
    decided.approved.push(after);
    cards.set(id, decided);
  }
  for (const { before, after } of step.changes('authorizations')) {
    const decided = cards.get((after ?? before)!.card_id);
    if (decided !== undefined && after?.message_type === '0120' && before === undefined) decided.is_mixed = true;
  }
  for (const { before, after } of step.changes('clearings')) {
    const decided = cards.get((after ?? before)!.card_id);
    if (decided !== undefined) decided.is_mixed = true;
  }
  return cards;
}

/** Whether the controls allow the request, by its fields alone; else what they do not. */
function* brokenControls(row: Authorization, card: VirtualCard, state: State): Iterable<string> {
  const today = utcDateOf(row.decided_at_ms);
  if (card.status === 'Canceled') yield 'the card is canceled';
  if (today < card.valid_starting_on || today > card.valid_ending_on) yield 'the card is not valid on the day';
  if (card.currency !== null && row.merchant_currency !== card.currency) yield 'the currency is another';
  const template = state.templates.get(card.template_id);
  if (template !== undefined) {
    const is_listed = template.mcc_list.includes(row.mcc);
    if (is_listed !== (template.mcc_rule === 'ALLOW')) yield `the template denies ${row.mcc}`;
  }
  const amount = card.currency === null ? row.billing_amount : row.merchant_amount;
  const root = row.root_id === row.id ? row : state.authorizations.get(row.root_id ?? 0);
  const authorized = root?.authorized ?? amount;
  if (Math.min(amount, authorized) > card.per_transaction_max) yield `${amount} is above the maximum of one purchase`;
  const is_whole = row.root_id === row.id && authorized === amount;
  if (is_whole && amount > 0 && amount < card.per_transaction_min) yield `${amount} is below the minimum`;
}

export const limits_hold_online: Invariant = {
  name: 'limits hold online',
  says: 'no request that the service approves exceeds a control of its card: amounts, uses, total, dates, currency, codes',
  begin: () => ({
    *step(step) {
      for (const [card_id, { versions, approved, is_mixed }] of decidedCards(step)) {
        for (const row of approved) {
          const broken = versions.map((card) => [...brokenControls(row, card, step.state)]);
          if (broken.every((problems) => problems.length > 0)) {
            yield `authorization ${row.id} was approved: ${broken[0]!.join(', ')}`;
          }
        }
        const amountOf = (row: Authorization) => Math.max(row.billing_amount, row.merchant_amount);
        if (is_mixed || approved.every((row) => amountOf(row) === 0 || row.authorized === 0)) continue;
        const card = step.state.cards.get(card_id);
        if (card === undefined) continue;
        const { counters } = card;
        const total = Math.max(...versions.map(({ total_card_amount }) => total_card_amount));
        const used = counters.held + Math.max(0, counters.cleared);
        const in_window = approved.some((row) => row.window_start_ms === counters.window_start_ms);
        if (in_window && used > total) yield `card ${card_id}: ${used} of ${total} is used after an approval`;
        const is_limited = versions.every(({ transactions_max }) => transactions_max !== null);
        const uses_max = Math.max(...versions.map(({ transactions_max }) => transactions_max ?? 0));
        const is_use = approved.some(
          (row) => row.root_id === row.id && row.uses === 1 && row.window_start_ms === counters.window_start_ms,
        );
        if (is_limited && is_use && counters.uses > uses_max)
          yield `card ${card_id}: ${counters.uses} of ${uses_max} uses after an approval`;
      }
    },
  }),
};
