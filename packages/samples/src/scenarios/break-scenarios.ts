import { type FormatAbilities, withReferences } from '../format-abilities.ts';
import type { BreakAnswer, BreakAnswers } from './break-answer.ts';
import { buy } from './credits.ts';
import { byReference } from './purchases.ts';
import { kind, type ScenarioDraft, type ScenarioKind } from './scenario.ts';

/*
 * Breaks of a month, each with what a person does about it. No covering set may join them by chance.
 * So clearings without a line have whole units of the currency, and a line without a reference has
 * up to 15 hundredths more: up to five of these lines never add up to whole units, nor do any
 * clearings to such a line. A line with a reference is in no set.
 */

const uncleared: readonly ScenarioKind[] = [
  breakKind('no_show', { uncleared: ignored('The guest never came, and the hotel charges nothing') }, (draft) => {
    const purchase = draft.purchase({ mcc: '7011', merchant_name: 'Harbour Hotel' });
    draft.request(purchase, { status: 'open', held: purchase.amount });
  }),
  breakKind('cancelled_order', { uncleared: ignored('The shop cancelled the order and charges nothing') }, (draft) => {
    const purchase = draft.purchase();
    draft.request(purchase, { status: 'open', held: purchase.amount });
  }),
];

const unauthorized: readonly ScenarioKind[] = [
  breakKind('toll', { unauthorized: accepted('A toll: the station asks for no authorization') }, (draft) => {
    const purchase = draft.purchase({ mcc: '4784', merchant_name: 'Highway Toll' });
    draft.clear(purchase, {}, { rule: 8, class: 'force_post' });
    draft.standsAlone(purchase.amount, 1);
  }),
  breakKind(
    'cleared_by_another_terminal',
    {
      unauthorized: matched('The clearing came without references: its authorization is the one of this amount'),
      uncleared: followed('Its clearing came without references, by another terminal of the merchant'),
    },
    (draft) => {
      const purchase = draft.purchase();
      draft.request(purchase, { status: 'open', held: purchase.amount });
      const { merchant_id } = draft.purchase();
      const change = { net_reference_number: null, approval_code: null, merchant_id };
      draft.clear(purchase, change, { rule: 8, class: 'force_post' });
      draft.standsAlone(purchase.amount, 1);
    },
  ),
];

const amount: readonly ScenarioKind[] = [
  bookedOtherwise('rounded_by_the_bank', 'The bank rounded by cents', ({ draw }) => draw.pick([-2, -1, 1, 2])),
  bookedOtherwise(
    'fee_within_the_line',
    'The line includes a fee of 2.50 that the bank books apart otherwise',
    () => 250,
  ),
  bookedOtherwise('rate_of_the_bank', 'The bank converted by its own rate', (_, booked) => booked / 50),
  breakKind('charged_more', { amount: accepted('A late breakfast was charged, and the guest agreed') }, (draft) => {
    const purchase = draft.purchase();
    const billing_amount = (purchase.amount * 130) / 100;
    draft.advise(purchase, { status: 'cleared', cleared: billing_amount });
    draft.clear(purchase, { billing_amount }, { ...byReference(draft, purchase), class: 'over' });
  }),
];

const wrong_reference = 'The bank booked it with a wrong reference: the line of this amount is its own';

const unstated: readonly ScenarioKind[] = [
  breakKind(
    'line_of_wrong_reference',
    { unstated: matched(wrong_reference), unexplained_line: followed('The bank stated a wrong reference') },
    (draft) => {
      const purchase = draft.purchase();
      const clearing = buy(draft, purchase, { cleared: purchase.amount });
      draft.statement.leaveOut(clearing);
      bookBeside(draft, purchase.amount, purchase.merchant_name);
    },
  ),
  breakKind('never_booked', { unstated: accepted('The bank confirmed that it will not book it') }, (draft) => {
    const purchase = draft.purchase();
    draft.statement.leaveOut(buy(draft, purchase, { cleared: purchase.amount }));
  }),
  breakKind(
    'two_purchases_in_one_line',
    {
      unstated: followed('The bank booked it in one line with another purchase'),
      unexplained_line: matched('The bank booked two purchases of one merchant in one line'),
    },
    (draft) => {
      const first = draft.purchase();
      const second = draft.purchase({ merchant_name: first.merchant_name });
      for (const purchase of [first, second]) {
        draft.advise(purchase, { status: 'cleared', cleared: purchase.amount });
        const outcome = { ...byReference(draft, purchase), class: 'exact' } as const;
        draft.statement.leaveOut(draft.clear(purchase, { days: 1 }, outcome));
      }
      bookBeside(draft, first.amount + second.amount, first.merchant_name);
    },
  ),
  breakKind(
    'line_without_reference',
    {
      unstated: { what: 'The bank booked some cents more, without a reference', act: 'match_and_accept' },
      unexplained_line: followed('The bank stated no reference'),
    },
    (draft) => {
      const purchase = draft.purchase();
      draft.statement.leaveOut(buy(draft, purchase, { cleared: purchase.amount }));
      draft.statement.bookAlone({
        booking_days: 2,
        amount: purchase.amount + draft.draw.between(1, 15),
        acquirer_reference: null,
        text: purchase.merchant_name.toUpperCase(),
      });
    },
  ),
];

const unexplained_line: readonly ScenarioKind[] = [
  breakKind('fee_of_the_card', { unexplained_line: ignored('The yearly fee of the account: no purchase') }, (draft) => {
    const fee = 4_000 + draft.draw.between(1, 15);
    draft.statement.bookAlone({ booking_days: 2, amount: fee, acquirer_reference: null, text: 'YEARLY FEE' });
  }),
  breakKind(
    'card_of_another_issuer',
    { unexplained_line: ignored('A purchase with the plastic card of the bank, which is not kept here') },
    (draft) => {
      const { merchant_name } = draft.purchase();
      bookBeside(draft, draft.amount(), merchant_name);
    },
  ),
];

const suspected_duplicate: readonly ScenarioKind[] = [
  breakKind('bought_twice', { suspected_duplicate: accepted('Two of the same were bought') }, (draft) => {
    clearTwice(draft, 2);
  }),
  breakKind(
    'cleared_twice_by_mistake',
    { suspected_duplicate: followed('Cleared twice by mistake: the reversal comes with the late files') },
    (draft) => {
      const { purchase, second } = clearTwice(draft, 1);
      const { acquirer_reference_data } = second.input;
      const change = {
        acquirer_reference_data,
        clearing_type: 'CREDIT',
        cycle: 'reversal',
        days: draft.late_days,
      } as const;
      const reversal = draft.clear(purchase, change, {
        ...{ rule: 1, class: 'reversal', authorization: purchase, earlier: second },
      });
      draft.statement.leaveOut(second);
      draft.statement.leaveOut(reversal);
    },
    ({ reversal }) => (reversal ? 2 : null),
  ),
];

const late_change: readonly ScenarioKind[] = [
  breakKind(
    'tip_came_late',
    { late_change: accepted('The tip was cleared on its own, after the month was closed') },
    (draft) => {
      const purchase = draft.purchase({ mcc: '5812', merchant_name: 'Corner Bistro' });
      const tip = purchase.amount / 10;
      buy(draft, purchase, { cleared: purchase.amount + tip });
      const change = { billing_amount: tip, days: draft.late_days };
      draft.clear(purchase, change, { ...byReference(draft, purchase), class: 'tip' });
    },
  ),
  breakKind(
    'refund_came_late',
    { late_change: accepted('Goods were sent back after the month was closed') },
    (draft) => {
      const purchase = draft.purchase();
      const refund = purchase.amount / 2;
      buy(draft, purchase, { cleared: purchase.amount - refund });
      const change = { billing_amount: refund, clearing_type: 'CREDIT', days: draft.late_days } as const;
      draft.clear(purchase, change, { ...byReference(draft, purchase), class: 'refund_linked' });
    },
  ),
];

const bank_line_differs: readonly ScenarioKind[] = [
  breakKind(
    'booking_withdrawn',
    { bank_line_differs: ignored('The bank reported a booking that it withdrew before the statement') },
    (draft) => {
      const { amount, merchant_name } = draft.purchase();
      draft.statement.report(2, amount, merchant_name.toUpperCase(), null);
    },
  ),
  breakKind(
    'booked_with_another_amount',
    { bank_line_differs: ignored('The bank reported an amount that its statement corrected') },
    (draft) => {
      const purchase = draft.purchase();
      const clearing = buy(draft, purchase, { cleared: purchase.amount });
      const { booking_days, text, bank_reference } = draft.statement.book(clearing);
      draft.statement.report(booking_days, purchase.amount + 50, text, bank_reference);
    },
  ),
];

/** The kinds of scenarios of a month by the kind of break that they are about. */
export const break_scenarios: readonly (readonly ScenarioKind[])[] = [
  uncleared,
  unauthorized,
  amount,
  unstated,
  unexplained_line,
  suspected_duplicate,
  late_change,
  bank_line_differs,
];

function breakKind(
  name: string,
  breaks: BreakAnswers,
  write: (draft: ScenarioDraft) => void,
  records: (able: FormatAbilities) => number | null = withReferences(1),
): ScenarioKind {
  return kind(name, { weight: 1, ordered: true, records, breaks }, write);
}

/** A purchase whose line has another amount than its clearing. */
function bookedOtherwise(
  name: string,
  what: string,
  difference: (draft: ScenarioDraft, booked: number) => number,
): ScenarioKind {
  return breakKind(name, { amount: accepted(what) }, (draft) => {
    const purchase = draft.purchase();
    const clearing = buy(draft, purchase, { cleared: purchase.amount });
    const booked = purchase.amount + difference(draft, purchase.amount);
    draft.statement.book(clearing, { amount: booked, fit: 'rest' });
  });
}

/** Books a line whose reference no clearing has. */
function bookBeside(draft: ScenarioDraft, amount: number, merchant_name: string): void {
  draft.statement.bookAlone({
    booking_days: draft.draw.between(1, 3),
    amount,
    acquirer_reference: draft.acquirerReference(),
    text: merchant_name.toUpperCase(),
  });
}

/** One authorization, cleared under two ids. The bank books so many of the clearings. */
function clearTwice(draft: ScenarioDraft, booked: 1 | 2) {
  const purchase = draft.purchase();
  const cleared = booked * purchase.amount;
  const first = buy(draft, purchase, { cleared });
  const { acquirer_reference_data } = first.input;
  const outcome = { ...byReference(draft, purchase), class: 'suspected_duplicate' } as const;
  const second = draft.clear(purchase, { acquirer_reference_data }, outcome);
  return { purchase, first, second };
}

function accepted(what: string): BreakAnswer {
  return { what, act: 'accept' };
}

function ignored(what: string): BreakAnswer {
  return { what, act: 'ignore' };
}

function matched(what: string): BreakAnswer {
  return { what, act: 'match' };
}

/** Nothing to do: another act, or what comes later, resolves it. */
function followed(what: string): BreakAnswer {
  return { what, act: null };
}
